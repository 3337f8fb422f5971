export { h, render } from "./runtime";
export type { Child, VNode } from "./runtime";
export { Button } from "./Button";
export { List } from "./List";
export { Price } from "./Price";
