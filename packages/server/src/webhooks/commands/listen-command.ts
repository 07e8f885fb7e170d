/**
 * `bindery webhooks listen`: reads the changes as an endpoint would, and sends each to an address
 * of the developer, signed. It stores nothing, and tries nothing again.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServedEngine } from '../../accounts/served-engine.ts'
import { timestampOf } from '../../base/clock.ts'
import type { Console } from '../../command/define-command.ts'
import { UsageError } from '../../command/usage-error.ts'
import { StartError } from '../../errors.ts'
import type { Engine } from '../../perform/engine.ts'
import { consolePrincipal, type Principal } from '../../resource/principal.ts'
import { isSecret, secretOf } from '../../webhook/signature.ts'
import { makeOwnerFeed, type OwnerFeed } from '../owner-feed.ts'
import { bodyOf, messageId, sendMessage } from '../send-delivery.ts'
import { typeOf } from '../try-delivery.ts'

type ListenOptions = {
  readonly forward: string
  readonly resources?: string
  readonly as?: string
  readonly secret?: string
}

const lookEveryMs = 250
const most = 200

/** Throws `StartError` and `UsageError`. */
async function callerOf(engine: Engine, user: string | undefined): Promise<Principal> {
  if (user === undefined) return consolePrincipal(engine.catalog)
  const found = await (engine as ServedEngine).identity.findCaller(user)
  if (!found) throw new StartError(`There is no user ${user} who may act`)
  return found
}

/** Throws `UsageError`. */
function resourcesNamed({ resources }: OwnerFeed, names: string | undefined) {
  if (names === undefined) return resources
  return names.split(',').map((name) => {
    const found = resources.find(({ slug }) => slug === name.trim())
    if (found) return found
    throw new UsageError(`no changes of ${name} are told; there are ${resources.map(({ slug }) => slug).join(', ')}`)
  })
}

function checkOptions({ forward, secret }: ListenOptions): void {
  if (!/^https?:\/\/[^/]/.test(forward) || !URL.canParse(forward))
    throw new UsageError('--forward must be an address such as http://127.0.0.1:4000/hooks')
  if (secret !== undefined && !isSecret(secret)) throw new UsageError('--secret must be whsec_ and base64')
}

/** Aborted when the developer ends the command. */
function untilInterrupted(): { readonly signal: AbortSignal; end(): void } {
  const control = new AbortController()
  const stop = () => control.abort()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  return {
    signal: control.signal,
    end() {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
    },
  }
}

/** Sends each change until the signal ends it. */
async function forwardAll(
  cli: Console,
  engine: ServedEngine,
  {
    feed,
    caller,
    options,
    secret,
    signal,
  }: {
    readonly feed: OwnerFeed
    readonly caller: Principal
    readonly options: ListenOptions
    readonly secret: string
    readonly signal: AbortSignal
  },
): Promise<void> {
  const resources = resourcesNamed(feed, options.resources)
  const fetch = engine.outgoing.configured('webhooks', { redirectsMax: 0 })
  for (let after = await feed.end(); !signal.aborted; ) {
    const page = await feed.read({ caller, after, resources, filters: null, most })
    if ('wrong' in page) throw new StartError(page.wrong)
    if ('lost' in page) {
      cli.output.note('Changes were lost: the log does not go back that far, or the rights have changed.')
      after = page.lost
      continue
    }
    for (const change of page.changes) {
      const event = typeOf(change)
      const at = timestampOf(change.atMs)
      const message = { id: messageId(randomUUID()), url: options.forward, body: bodyOf({ event, at }, change.data) }
      const { status, error, tookMs } = await sendMessage({ engine, fetch }, message, { secrets: [secret], signal })
      const line = { at, event, id: change.id, status: status ?? null, error: error ?? null, tookMs }
      if (cli.output.json) await cli.output.write(`${JSON.stringify(line)}\n`)
      else await cli.output.write(`${at}  ${event}  ${change.id}  ${status ?? error} in ${tookMs} ms\n`)
    }
    after = page.place
    if (page.isEnd) await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined)
  }
}

export async function listen(cli: Console, options: ListenOptions): Promise<void> {
  checkOptions(options)
  const interrupted = untilInterrupted()
  try {
    await cli.withEngine(async (engine) => {
      const feed = makeOwnerFeed(engine)
      if (!feed) throw new StartError('No resource has changes to tell: declare changes: true at one with a list')
      const caller = await callerOf(engine, options.as)
      const secret = options.secret ?? secretOf(randomBytes(32))
      cli.output.note(`Changes go to ${options.forward}, signed by ${secret}. Ctrl-C ends it.`)
      const { signal } = interrupted
      await forwardAll(cli, engine as ServedEngine, { feed, caller, options, secret, signal }).catch((error) => {
        if (!signal.aborted) throw error
      })
    })
  } finally {
    interrupted.end()
  }
}
