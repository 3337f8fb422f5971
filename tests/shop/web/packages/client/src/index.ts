export * from "./types";
export { HttpClient, HttpError } from "./http";
export { OrdersApi } from "./orders";
export { ProductsApi } from "./products";
