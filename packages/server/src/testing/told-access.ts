/**
 * Compares the answer to a request with the words of the server about it: the caller's permissions,
 * and the explanation of the request. They must agree for any application.
 */
import assert from 'node:assert/strict'
import type { Extent } from '../policy/permissions.ts'
import { permissionsPath } from '../rest/permissions-route.ts'
import type { Route } from '../rest/route.ts'
import type { Ask, AskOptions, TestResponse } from './ask.ts'

export type ToldPermissions = Readonly<Record<string, { readonly operations: Readonly<Record<string, Extent>> }>>

/** The permissions that the server tells a caller; undefined for one that it refuses. */
export async function toldTo(ask: Ask, credential: AskOptions): Promise<ToldPermissions | undefined> {
  const { status, body } = await ask('GET', permissionsPath, credential)
  return status === 200 ? body.resources : undefined
}

/** Whether the response is to a request about many records, and is about none. */
function hasNone({ status, text, body }: TestResponse): boolean {
  if (status === 200 && text === '') return true // of an export
  return (Array.isArray(body?.data) && body.data.length === 0) || (body?.created === 0 && body.updated === 0)
}

/** No caller may do an operation that the server says is refused, to any record. */
export function checkTold(
  told: ToldPermissions | undefined,
  { target }: Route,
  { caller, reply }: { readonly caller: string; readonly reply: TestResponse },
): void {
  const { resource, operation, nested } = target
  // Below another record a list shows what may be got one by one.
  const name = nested && operation === 'list' && resource.access.get ? 'get' : operation
  const extent = told?.[resource.slug]?.operations[name]
  if (extent === 'none')
    assert.ok(
      reply.status >= 400 || hasNone(reply),
      `${caller} may ${operation} ${resource.slug}, and is told otherwise at ${permissionsPath}`,
    )
}

/** The verdict of an explanation as a code of errors; undefined where the caller may not ask. */
function explainedCode({ status, body }: TestResponse): string | undefined {
  if (status === 404) return 'not-found'
  if (status !== 200) return undefined
  const { allowed, refusal } = body.data
  return allowed ? 'allowed' : (refusal?.code ?? 'depends')
}

const codes: Readonly<Record<number, string>> = { 401: 'unauthenticated', 403: 'forbidden', 404: 'not-found' }

/** An explanation of the request, asked before it was sent, says how it ends. */
export function checkExplained(
  why: TestResponse | undefined,
  { target }: Route,
  { caller, reply }: { readonly caller: string; readonly reply: TestResponse },
): void {
  const said = why && explainedCode(why)
  const found = reply.status < 400 ? 'allowed' : codes[reply.status]
  if (said === undefined || found === undefined) return
  assert.equal(
    said,
    found,
    `${caller} is answered ${reply.status} to ${target.operation} ${target.resource.slug}, and _explain says otherwise: ${why?.text}`,
  )
}
