/**
 * Sends the mails that wait. A row that waits is taken by one process for some minutes, so a mail is sent by one of many, and by another one
 * if that dies. Nobody's request waits for it.
 */
import { randomBytes } from 'node:crypto'
import type { ReadyLetter } from '../accounts/recovery/letters.ts'
import { oneTimeTokenMs } from '../accounts/recovery/one-time-tokens.ts'
import type { Recovery } from '../accounts/recovery/recovery.ts'
import { timestampOf } from '../base/clock.ts'
import { makeRepeatedLine } from '../base/repeated-line.ts'
import type { Log } from '../http/logs/log.ts'
import { limits } from '../limits.ts'
import { isMailable } from '../mail/mail-message.ts'
import type { Texts } from '../mail/texts.ts'
import { isFinal, type Transport } from '../mail/transport.ts'
import type { Engine } from '../perform/engine.ts'
import type { OutgoingMailMark } from '../resource/accounts/identity-mark.ts'
import type { Marked } from '../resource/catalog.ts'
import { all, type Condition, equal, type Scalar } from '../resource/condition.ts'
import { hasLink, type LetterName, type LetterWithLink, lettersOf } from '../resource/letter-names.ts'
import { serviceAuthor } from '../storage/changes.ts'
import type { Row } from '../storage/storage.ts'

/** Where the page for each link is, after what links begin with. */
const pages: Readonly<Record<LetterWithLink, string>> = {
  reset: 'reset',
  'log-in': 'log-in',
  verify: 'verify',
  'new-address': 'verify',
  'own-address': 'own-address',
}

/**
 * From a mail that is stored to its sending, at random: what sending costs the server must not show in the time of the request that asked for
 * the mail, nor of the next one.
 */
const sooner = { leastMs: 60, mostMs: 160 }
const firstRetryMs = 30_000
const retryMsMax = 3_600_000

export type PostParts = {
  readonly engine: Engine
  readonly mails: Marked<OutgoingMailMark>
  readonly recovery: Recovery | undefined
  readonly transport: Transport
  readonly texts: Texts
  readonly from: string
  /** What links begin with, without a slash at its end. */
  readonly links: string
  readonly log: Log
}

export type Post = {
  /** Sends what is due now. */
  sendDue(): Promise<void>
  stop(): Promise<void>
}

/** What a mail without a token says, where the application has no tokens. */
function noticeOf({ mark }: Marked<OutgoingMailMark>, row: Row): ReadyLetter {
  const [letter, recipient] = [row[mark.letter] as LetterName, row[mark.recipient] as string]
  const languages = row[mark.languages] as string | null
  return { letter, recipient, languages, detail: row[mark.detail] as string | null, token: undefined }
}

/** Each letter is about one thing, and has a name for it. */
function blanksOf({ letter, token, detail }: ReadyLetter, links: string): Parameters<Texts['write']>[2] {
  const link = hasLink(letter) && token !== undefined ? `${links}/${pages[letter]}?token=${token}` : undefined
  const about = detail ?? undefined
  const blanks = { link, address: about, keys: about ?? '0', minutes: oneTimeTokenMs / 60_000 }
  return blanks as Parameters<Texts['write']>[2]
}

function makeRounds({ engine, mails, recovery, transport, texts, from, links, log }: PostParts) {
  const { resource, mark } = mails
  const { records, storage, clock } = engine
  const known = lettersOf({ hasTokens: recovery !== undefined })
  const isThis = (row: Row) => equal(resource.idField, row[resource.idField] as Scalar)
  const isDue = (): Condition => ({
    kind: 'compare',
    field: mark.dueAt,
    operator: 'lte',
    value: timestampOf(clock()),
  })

  /** The next few, which no other process takes before their lease ends. */
  function take(): Promise<Row[]> {
    return records.transaction(serviceAuthor, async (writing) => {
      const sort = [{ field: mark.dueAt, descending: false }]
      const rows = await writing.lockAll(resource, { where: isDue(), sort, limit: limits.mailsAtOnce, after: null })
      const dueAt = timestampOf(clock() + limits.mailLeaseMs)
      const taken: Row[] = []
      for (const row of rows)
        taken.push(
          await writing.change(resource, row, { [mark.dueAt]: dueAt, [mark.tries]: (row[mark.tries] as number) + 1 }),
        )
      return taken
    })
  }

  async function drop(row: Row): Promise<void> {
    await records.transaction(serviceAuthor, (writing) => writing.removeWhere(resource, isThis(row)))
  }

  async function putOff(row: Row): Promise<void> {
    const waitMs = Math.min(firstRetryMs * 2 ** ((row[mark.tries] as number) - 1), retryMsMax)
    await records.transaction(serviceAuthor, async (writing) => {
      const now = (await writing.lock(resource, isThis(row)))?.row
      if (now) await writing.change(resource, now, { [mark.dueAt]: timestampOf(clock() + waitMs) })
    })
  }

  async function deliver(row: Row): Promise<void> {
    // Earlier versions stored such mails. No try would ever send one.
    if (!known.includes(row[mark.letter] as string))
      return log.warn(`A mail was not sent: its letter is none of ${known.join(', ')}`, { letter: row[mark.letter] })
    const ready = recovery ? await recovery.prepare(row) : noticeOf(mails, row)
    if (!ready) return
    const { letter, recipient, languages } = ready
    if (!isMailable(recipient)) return log.warn('A mail was not sent: no mail server takes such an address', { letter })
    const words = texts.write(letter, languages, blanksOf(ready, links))
    const host = from.replace(/^.*@|>$/g, '')
    const id = `${randomBytes(16).toString('hex')}@${host}`
    try {
      await transport.send({ from, to: recipient, ...words, sentAtMs: clock(), id })
    } catch (error) {
      await recovery?.withdraw(ready)
      throw error
    }
  }

  /** The address stays out of the log; the reason may hold what the mail server says of it. */
  async function sendOne(row: Row): Promise<void> {
    const letter = row[mark.letter]
    try {
      await deliver(row)
    } catch (error) {
      const isLast = isFinal(error) || (row[mark.tries] as number) >= limits.mailTriesMax
      await (isLast ? drop(row) : putOff(row))
      const said = isLast ? 'A mail was not sent, and is given up' : 'A mail was not sent, and is tried again'
      return log.error(said, error, { letter })
    }
    await drop(row)
  }

  return async (isStopped: () => boolean): Promise<void> => {
    while (!isStopped()) {
      const sort = [{ field: mark.dueAt, descending: false }]
      // Reads first: a transaction that writes nothing would still be in the way of others.
      if ((await storage.list(resource, { where: all(isDue()), sort, limit: 1, after: null })).length === 0) return
      const rows = await take()
      await Promise.all(rows.map(sendOne))
      if (rows.length === 0) return
    }
  }
}

/** Sends what waits: soon after it is stored by this process or another, and what was left, from time to time. */
export function startPost(parts: PostParts): Post {
  const { engine, mails, transport, log } = parts
  const round = makeRounds(parts)
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let soon: NodeJS.Timeout | undefined
  let latest: unknown
  const failing = makeRepeatedLine((line) => log.error(line, latest))

  async function tryRound(): Promise<void> {
    try {
      await round(() => stopped)
      failing.end()
    } catch (error) {
      latest = error
      if (!stopped) failing.tell('Mails cannot be sent now')
    }
  }

  function sendDue(): Promise<void> {
    running = running.then(tryRound)
    return running
  }

  function sendSoon(): void {
    if (stopped || soon) return
    const waitMs = sooner.leastMs + Math.random() * (sooner.mostMs - sooner.leastMs)
    soon = setTimeout(() => {
      soon = undefined
      void sendDue()
    }, waitMs)
    soon.unref()
  }

  engine.storage.changes.follow({
    apply(changes) {
      if (changes.some(({ resource, kind }) => resource === mails.resource.name && kind === 'insert')) sendSoon()
    },
    reset: sendSoon,
  })
  const timer = setInterval(() => void sendDue(), limits.mailCheckMs)
  timer.unref()
  return {
    sendDue,
    async stop() {
      stopped = true
      clearInterval(timer)
      clearTimeout(soon)
      await running
      failing.end()
      transport.close()
    },
  }
}
