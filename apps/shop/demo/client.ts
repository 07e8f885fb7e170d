/** A minimal HTTP client for the demo: JSON, NDJSON and credentials over fetch. */
export type Credential = { readonly token?: string; readonly key?: string }

// biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape of the response
type Answer = any

type Content = { readonly type?: string; readonly body?: string | Uint8Array<ArrayBuffer> }

export type Client = {
  get(path: string): Promise<Answer>
  post(path: string, body: unknown, credential?: Credential): Promise<Answer>
  postLines(path: string, records: readonly object[], credential: Credential): Promise<Answer>
  getLines(path: string, credential: Credential): Promise<Answer[]>
  putPicture(path: string, bytes: Uint8Array<ArrayBuffer>, credential: Credential): Promise<void>
  remove(path: string, credential: Credential): Promise<void>
}

function headersOf({ token, key }: Credential): Record<string, string> {
  return { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(key ? { 'x-api-key': key } : {}) }
}

/**
 * A call that the service refuses throws with its response; one that gets 429 waits as
 * `Retry-After` says and tries again.
 */
export function makeClient(address: string): Client {
  async function send(method: string, path: string, { type, body, ...credential }: Credential & Content = {}) {
    const headers = { ...headersOf(credential), ...(type ? { 'content-type': type } : {}) }
    for (;;) {
      const response = await fetch(address + path, { method, headers, body: body ?? null })
      const text = await response.text()
      if (response.ok) return text
      if (response.status !== 429) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1000))
    }
  }
  const parse = (text: string) => (text === '' ? undefined : JSON.parse(text))
  const linesOf = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

  return {
    get: async (path) => parse(await send('GET', path)),
    post: async (path, body, credential) =>
      parse(await send('POST', path, { ...credential, type: 'application/json', body: JSON.stringify(body) })),
    postLines: async (path, records, credential) =>
      parse(await send('POST', path, { ...credential, type: 'application/x-ndjson', body: linesOf(records) })),
    getLines: async (path, credential) => (await send('GET', path, credential)).trimEnd().split('\n').map(parse),
    async putPicture(path, body, credential) {
      await send('PUT', path, { ...credential, type: 'image/png', body })
    },
    async remove(path, credential) {
      await send('DELETE', path, credential)
    },
  }
}
