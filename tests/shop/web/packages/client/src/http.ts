export class HttpError extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }

  isRetryable(): boolean {
    return this.status >= 500;
  }
}

/** Sends requests to the shop and tries again if that may help. */
export class HttpClient {
  constructor(private readonly base: string, private readonly attempts = 3) {}

  async get<T>(path: string): Promise<T> {
    return this.send<T>("GET", path);
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return this.send<T>("POST", path, body);
  }

  private async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(this.base + path, { method, body: JSON.stringify(body) });
      if (response.ok) return (await response.json()) as T;
      const error = new HttpError(response.status, path);
      if (attempt >= this.attempts || !error.isRetryable()) throw error;
    }
  }
}
