import type { HttpClient } from "./http";

export abstract class Resource<T> {
  constructor(protected readonly http: HttpClient) {}

  protected abstract path(): string;

  all(): Promise<T[]> {
    return this.http.get<T[]>(this.path());
  }

  one(id: number): Promise<T> {
    return this.http.get<T>(`${this.path()}/${id}`);
  }
}
