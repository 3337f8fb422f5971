import type { Product } from "@shop/client";
import { Button, h, List, Price } from "@shop/ui";

interface Props {
  products: Product[];
  onChoose: (product: Product) => void;
}

export function ProductsPage({ products, onChoose }: Props) {
  const row = (product: Product) => (
    <div>
      {product.name} <Price cents={product.cents} />
      <Button label="Add" onPress={() => onChoose(product)} />
    </div>
  );
  return <List items={products} show={row} />;
}
