import { h, type Child } from "./runtime";

interface ListProps<T> {
  items: T[];
  show: (item: T) => Child;
}

export function List<T>({ items, show }: ListProps<T>) {
  return <ul>{items.map((item) => <li>{show(item)}</li>)}</ul>;
}
