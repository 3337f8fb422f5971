export interface VNode {
  type: unknown;
  props: object | null;
  children: Child[];
}

export type Child = VNode | string | number | Child[];

export function h(type: unknown, props: object | null, ...children: Child[]): VNode {
  return { type, props, children };
}

export namespace h {
  export namespace JSX {
    export interface Element extends VNode {}
    export interface IntrinsicElements {
      [name: string]: { children?: unknown; [attribute: string]: unknown };
    }
    export interface ElementChildrenAttribute {
      children: unknown;
    }
  }
}

export function render(node: Child): string {
  if (Array.isArray(node)) return node.map(render).join("");
  if (typeof node !== "object") return escape(String(node));
  return node.children.map(render).join("");
}

function escape(text: string): string {
  return text.replace(/</g, "&lt;");
}
