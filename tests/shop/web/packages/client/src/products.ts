import { Resource } from "./resource";
import type { Product } from "./types";

export class ProductsApi extends Resource<Product> {
  protected path(): string {
    return "/products";
  }
}
