/**
 * A write whose answer was lost may have been done. The same write, sent again by the person, has
 * the same `Idempotency-Key`, so that the server does it once and answers as it did.
 */
const keyHeader = 'idempotency-key'
const lostMax = 20
/** Request → key; oldest first. */
const lost = new Map<string, string>()

async function nameOf(request: Request): Promise<string> {
  const headers = [...request.headers].filter(([name]) => name !== keyHeader && name !== 'authorization')
  return JSON.stringify([request.method, request.url, headers, await request.clone().text()])
}

function keep(name: string, key: string): void {
  lost.delete(name)
  lost.set(name, key)
  const [oldest] = lost.keys()
  if (lost.size > lostMax && oldest !== undefined) lost.delete(oldest)
}

export async function fetchOnce(request: Request): Promise<Response> {
  const made = request.headers.get(keyHeader)
  if (made === null) return fetch(request)
  const name = await nameOf(request)
  const key = lost.get(name) ?? made
  request.headers.set(keyHeader, key)
  let status = 0
  try {
    const answer = await fetch(request)
    status = answer.status
    return answer
  } finally {
    // A proxy answers 502 and 504 for a server that may have done it.
    if (status === 0 || status >= 500) keep(name, key)
    else lost.delete(name)
  }
}
