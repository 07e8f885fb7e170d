/** A request for GraphQL as far as it is known before its document is, and the answer that is kept for it. */
import type { HttpRequest } from '../http/messages/exchange.ts'
import type { FoundAnswer } from '../kept/entry.ts'
import type { KeptAnswers } from '../kept/kept-answers.ts'
import type { Principal } from '../resource/principal.ts'
import type { Asker } from '../storage/storage.ts'
import type { AnswerType } from './accept.ts'
import type { Params, Sent } from './documents/request-params.ts'
import type { StoredDocuments } from './documents/stored-documents.ts'

/** A request whose caller is known and whose body may still be on its way. */
export type Asking = {
  readonly request: HttpRequest
  readonly accept: AnswerType
  readonly principal: Principal
  readonly sent: Promise<Sent>
  /** What was sent is read once, and not before this is called. */
  readonly params: () => Promise<Params>
  readonly cacheControl: string
}

type Kept = { readonly key?: string; readonly answer?: FoundAnswer | undefined }

/**
 * The answer that is kept, and its key: what was sent, as it was sent, so that nothing of it is parsed where an answer is found. A name stands
 * for what is stored under it, which may be forgotten, so it is no part of a key. No key for what cannot be read, which the handler refuses.
 */
export async function findKept(kept: KeptAnswers, asking: Asking, asker: Asker): Promise<Kept> {
  const { accept, principal, sent, params } = asking
  const caller = { principal, asker }
  const about = `graphql ${accept} ${kept.sights.personOf(principal)}`
  const whole = await sent.catch(() => undefined)
  if (!whole) return {}
  const key = `${about} ${whole.text}`
  const answer = await kept.find(key, caller)
  if (answer) return { key, answer }
  const read = await params().catch(() => undefined)
  if (!read || read.isWhole) return read ? { key } : {}
  const { query, operationName, variables } = read.params
  const named = JSON.stringify([about, query, operationName, variables])
  return { key: named, answer: await kept.find(named, caller) }
}

/** Reads the parameters when they are asked for the first time. */
export function readOnce(sent: Promise<Sent>, stored: StoredDocuments): Asking['params'] {
  let reading: Promise<Params> | undefined
  return () => {
    reading ??= sent.then((one) => one.read(stored))
    return reading
  }
}
