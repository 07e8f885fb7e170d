/** The next deed of the hooks of the table of writes, and the answer that a caller gets. */
import assert from 'node:assert/strict'

export const deeds = ['refuses with a field', 'refuses', 'throws', 'hangs', 'network', 'transaction'] as const
type Deed = (typeof deeds)[number]

/** The test sets it before a write. `prepared`: the values that were given, in order. */
export const mood: {
  prepare: Deed | 'value' | undefined
  before: Deed | undefined
  transaction: () => Promise<unknown>
  readonly prepared: unknown[]
} = { prepare: undefined, before: undefined, transaction: async () => undefined, prepared: [] }

type Refuse = (sentence: string, field?: 'size') => never

async function act(deed: Deed | 'value' | undefined, refuse: Refuse): Promise<void> {
  switch (deed) {
    case 'refuses with a field':
      return refuse('The hook wants another size', 'size')
    case 'refuses':
      return refuse('The hook wants no such record')
    case 'throws':
      throw new Error('a mistake of the hook')
    case 'hangs':
      return new Promise(() => undefined)
    case 'network':
      return void (await fetch('http://127.0.0.1:1/'))
    case 'transaction':
      return void (await mood.transaction())
    default:
  }
}

export const limits = { limitMs: 50, prepareLimitMs: 50 } as const

export async function prepares({ refuse }: { readonly refuse: Refuse }): Promise<string | undefined> {
  if (mood.prepare === undefined) return undefined
  await act(mood.prepare, refuse)
  return 'prepared'
}

export async function behaves({ refuse, prepared }: { readonly refuse: Refuse; prepared?: unknown }): Promise<void> {
  if (mood.prepare === 'value') mood.prepared.push(prepared)
  await act(mood.before, refuse)
}

/** Of a hook in the transaction, and of one that prepares: the error, and a part of the log. */
const fault = 'Internal server error'
export const told: Readonly<
  Record<Deed, { readonly error: string; readonly log?: string; readonly prepare?: string }>
> = {
  'refuses with a field': { error: 'The hook wants another size' },
  refuses: { error: 'The hook wants no such record' },
  throws: { error: fault, log: 'threw a mistake of the hook', prepare: 'threw a mistake of the hook' },
  hangs: {
    error: fault,
    log: 'waited for longer than its limit of 50 ms',
    prepare: 'took longer than its limit of 50 ms',
  },
  network: { error: fault, log: 'reaches the network (fetch)' },
  transaction: { error: fault, log: 'opens another transaction' },
}

/** `hook`: a part of its name. */
export function checkTold(stage: 'prepare' | 'before', deed: Deed, seen: { error: unknown; log: string }): void {
  const { error, log, prepare } = told[deed]
  const says = stage === 'before' ? log : prepare
  if (says === undefined) {
    assert.match(String(seen.error), new RegExp(error), deed)
    return
  }
  // A command shows the fault itself; the others tell the log.
  const all = `${seen.error}\n${seen.log}`
  assert.match(String(seen.error), new RegExp(`${fault}|hooks\\.${stage}`), deed)
  assert.ok(all.includes(says) && all.includes(`hooks.${stage}`), `${deed}: ${all}`)
}
