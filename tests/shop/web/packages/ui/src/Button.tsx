import { h } from "./runtime";

export interface ButtonProps {
  label: string;
  onPress: () => void;
}

export function Button({ label, onPress }: ButtonProps) {
  return <button onClick={onPress}>{label}</button>;
}
