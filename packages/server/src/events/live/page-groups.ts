/** Groups of live pages: callers to whom one answer is the same, and one read for all of them. */
import { type ApiError, toApiError } from '../../errors.ts'
import { printEnd } from './live-reader.ts'
import type { LiveStream } from './live-stream.ts'
import { type PageState, printPage, type ReadPageState } from './page-state.ts'

/** The resources on which an answer depends; undefined: all. */
export type RestsOn = ReadonlySet<string> | undefined

export type PageSubscription = {
  readonly stream: LiveStream
  /** Undefined where the stream has one. */
  readonly name: string | undefined
  /** Callers with the same key get the same answer. */
  key(): string
  /** For the present caller, as the key. */
  restsOn(): RestsOn
  readonly read: ReadPageState
}

export type PageGroup = {
  readonly key: string
  restsOn: RestsOn
  readonly members: Set<PageSubscription>
  last: PageState | undefined
}

export function endPage({ stream }: PageSubscription, error: ApiError): void {
  stream.end(printEnd(stream.form, { error: error.message, code: error.code }))
}

/**
 * The answer for one of the members; a member that may not read it ends. Throws while the database
 * is away.
 */
async function readFor({ members }: PageGroup, report: (error: unknown) => void): Promise<PageState | undefined> {
  for (const member of members) {
    try {
      return await member.read()
    } catch (thrown) {
      const error = toApiError(thrown)
      if (error.code === 'unavailable' || error.code === 'too-many-requests') throw error
      if (error.code === 'internal') report(thrown)
      endPage(member, error)
    }
  }
  return undefined
}

/** Reads the page of a group, and sends the difference. Throws while the database is away. */
export async function readGroup(group: PageGroup, report: (error: unknown) => void): Promise<void> {
  const next = await readFor(group, report)
  const { last } = group
  if (!next || next === last) return
  group.last = next
  const texts = new Map<string | undefined, string>()
  for (const { stream, name } of group.members) {
    const text = texts.get(name) ?? printPage(next, { last, name })
    texts.set(name, text)
    if (text !== '') stream.send(text)
  }
}
