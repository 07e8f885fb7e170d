/**
 * Finds mistakes in the functions of a declaration. It calls each function once with a sample
 * record that notes the fields it reads: the compiler does not see a misspelt name there. It also
 * finds functions that read the clock, since their first value would be cached. A function that
 * fails on the sample is left alone.
 */
import type { DeclaredResource } from '../define.ts'
import type { Field, Virtual } from '../fields/field.ts'
import { isPartlyShown } from '../fields/field-facts.ts'
import { type DeclarationCheck, noField } from './declaration-check.ts'
import { detectClockReads } from './watch-clock.ts'

type WatchedFields = { readonly declared: DeclaredResource; readonly read: Set<string>; readonly lists: boolean }

/** A value that a field could have. */
function sampleOf({ type, values }: Field): unknown {
  if (type.item || type.isList) return []
  if (type.isOpaque) return {}
  if (values) return values[0]
  if (type.sample !== undefined) return type.sample
  if (type.column === 'integer') return 1
  return type.column === 'boolean' ? true : 'text'
}

/**
 * A record that notes the names that are read, `items.lineTotal` for those of embedded records.
 * Names of objects in general are not noted.
 */
function watchedRecord(
  { declared, read, lists }: WatchedFields,
  byName: DeclarationCheck['byName'],
  prefix = '',
): object {
  return new Proxy(
    {},
    {
      get(_target, name) {
        if (typeof name === 'symbol' || name in Object.prototype || name === 'then' || name === 'toJSON')
          return undefined
        read.add(`${prefix}${name}`)
        const field = Object.hasOwn(declared.fields, name) ? declared.fields[name] : undefined
        if (field?.virtual?.kind !== 'embedded') return field && sampleOf(field)
        const parts = byName.get(field.virtual.resource)
        // One level is enough: embedded records are typed by their own declaration.
        return parts && lists && prefix === ''
          ? [watchedRecord({ declared: parts, read, lists }, byName, `${name}.`)]
          : []
      },
      has: () => true,
    },
  )
}

/** `returned`: undefined where the function fails on the sample. */
type FunctionTrial = {
  readonly read: ReadonlySet<string>
  readonly clock: ReturnType<typeof detectClockReads>
  readonly returned: { readonly value: unknown } | undefined
}

/**
 * The names that a function reads of its record, and how it reads the clock, up to the point where
 * it fails on the sample.
 */
export function trialOf(call: (record: object) => unknown, context: DeclarationCheck): FunctionTrial {
  const read = new Set<string>()
  let returned: FunctionTrial['returned']
  const clock = detectClockReads(() => {
    try {
      const value = call(watchedRecord({ declared: context.declared, read, lists: true }, context.byName))
      returned = { value }
    } catch {
      // It may need a value that the sample lacks.
    }
  })
  return { read, clock, returned }
}

/** The declaration whose field is read, and the field's name. */
function ownerOf(
  name: string,
  { declared, byName }: DeclarationCheck,
): readonly [DeclaredResource | undefined, string] {
  const [first = '', second] = name.split('.')
  if (second === undefined) return [declared, first]
  const virtual = declared.fields[first]?.virtual
  return [virtual?.kind === 'embedded' ? byName.get(virtual.resource) : undefined, second]
}

export function checkRead(context: DeclarationCheck, at: string, names: Iterable<string>): void {
  for (const name of names) {
    const [owner, field] = ownerOf(name, context)
    if (owner && !Object.hasOwn(owner.fields, field)) {
      const where = owner === context.declared ? '' : ` of "${owner.name}"`
      context.report(at, `reads "${field}"${where}: ${noField(owner, field)}`)
    }
  }
}

type DerivedField = Virtual & { readonly kind: 'derived' }
const settings = { currency: 'USD', signUp: 'open' } as const

/** The argument of a function besides the record. `asked`: whether the function has read `now`. */
export function sampleContext(): { readonly given: typeof settings & { readonly now: string }; asked(): boolean } {
  let asks = false
  const given = {
    ...settings,
    get now() {
      asks = true
      return '2026-01-31T12:00:00.000Z'
    },
  }
  return { given, asked: () => asks }
}

/**
 * A field that depends on the time must declare it, also where another field brings the dependence.
 */
function checkClock(context: DeclarationCheck, name: string, { compute, clock }: DerivedField): ReadonlySet<string> {
  const at = `field "${name}"`
  const declare = 'declare it with { clock: true }'
  const { given, asked } = sampleContext()
  const trial = trialOf((record) => compute(record as never, given), context)
  if (trial.clock)
    context.report(
      at,
      `reads the clock by ${trial.clock}; use now: derived(…, (record, { now }) => …, { clock: true })`,
    )
  if (clock) return trial.read
  if (asked()) context.report(at, `asks for now: ${declare}`)
  for (const one of trial.read) {
    const [owner, field] = ownerOf(one, context)
    const virtual = owner && Object.hasOwn(owner.fields, field) ? owner.fields[field]?.virtual : undefined
    if (virtual?.kind === 'derived' && virtual.clock)
      context.report(at, `is computed from "${one}", which depends on the time: ${declare}, too`)
  }
  return trial.read
}

/**
 * A field that only some records show is told by what is computed from it. So a field computed from
 * one says who may read it.
 */
function checkTold(context: DeclarationCheck, name: string, read: ReadonlySet<string>): void {
  const { declared, report } = context
  if (declared.fields[name]?.read) return
  for (const one of read) {
    const [owner, field] = ownerOf(one, context)
    if (!owner || !Object.hasOwn(owner.fields, field) || !isPartlyShown(owner.fields[field])) continue
    const advice = 'give it a rule of its own, such as derived(text({ read: anyone }), …)'
    report(`field "${name}"`, `is computed from "${one}", which only some callers may read: ${advice}`)
  }
}

export function checkFunctions(context: DeclarationCheck): void {
  const { declared, report } = context
  const computed = new Set<string>()
  const derived = Object.entries(declared.fields).flatMap(([name, { virtual }]) =>
    virtual?.kind === 'derived' ? [[name, virtual] as const] : [],
  )
  const names = new Set(derived.map(([name]) => name))
  for (const [name, virtual] of derived) {
    const read = checkClock(context, name, virtual)
    checkRead(context, `field "${name}"`, read)
    checkTold(context, name, read)
    for (const other of read) {
      if (!names.has(other) || computed.has(other)) continue
      if (other === name) report(`field "${name}"`, 'is computed from itself')
      else report(`field "${name}"`, `is computed from "${other}", which is computed after it: declare that one first`)
    }
    computed.add(name)
  }
  for (const [name, follow] of Object.entries(declared.onWrite ?? {})) {
    if (!follow) continue
    const { read } = trialOf(follow as (record: object) => unknown, context)
    checkRead(context, `onWrite.${name}`, read)
    for (const other of read)
      if (declared.fields[other]?.virtual) report(`onWrite.${name}`, `reads "${other}", which is not stored`)
  }
}
