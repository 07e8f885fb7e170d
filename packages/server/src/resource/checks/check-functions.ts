/**
 * Mistakes in the functions of a declaration, found by calling each once with a record that notes which fields it reads: a derived field's
 * record is not typed, so the compiler does not see a misspelt name there. A function that fails on the sample is left alone.
 */
import type { Declared } from '../define.ts'
import type { Field } from '../fields/field.ts'
import { type Context, noField } from './declaration-check.ts'

type Watched = { readonly declared: Declared; readonly read: Set<string>; readonly lists: boolean }

/** A value that a field could have. */
function sampleOf({ type, values }: Field): unknown {
  if (type.isList) return []
  if (values) return values[0]
  if (type.column === 'integer') return 1
  if (type.column === 'boolean') return true
  return type.column === 'timestamp' ? '2026-01-31T12:00:00.000Z' : 'text'
}

/** A record that notes the names that are read, `items.lineTotal` for those of embedded records. Names of objects in general are not noted. */
function watchedRecord({ declared, read, lists }: Watched, byName: Context['byName'], prefix = ''): object {
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

/** The names that a function reads of its record, as far as it comes with the sample. */
function namesReadBy(call: (record: object) => unknown, context: Context): ReadonlySet<string> {
  const read = new Set<string>()
  try {
    call(watchedRecord({ declared: context.declared, read, lists: true }, context.byName))
  } catch {
    // It may ask for what the sample is not.
  }
  return read
}

/** The declaration whose field is read, and the field's name. */
function ownerOf(name: string, { declared, byName }: Context): readonly [Declared | undefined, string] {
  const [first = '', second] = name.split('.')
  if (second === undefined) return [declared, first]
  const virtual = declared.fields[first]?.virtual
  return [virtual?.kind === 'embedded' ? byName.get(virtual.resource) : undefined, second]
}

function checkRead(context: Context, at: string, names: Iterable<string>): void {
  for (const name of names) {
    const [owner, field] = ownerOf(name, context)
    if (owner && !Object.hasOwn(owner.fields, field)) {
      const where = owner === context.declared ? '' : ` of "${owner.name}"`
      context.report(at, `reads "${field}"${where}: ${noField(owner, field)}`)
    }
  }
}

export function checkFunctions(context: Context): void {
  const { declared, report } = context
  const computed = new Set<string>()
  const derived = Object.entries(declared.fields).flatMap(([name, { virtual }]) =>
    virtual?.kind === 'derived' ? [[name, virtual.compute] as const] : [],
  )
  const names = new Set(derived.map(([name]) => name))
  for (const [name, compute] of derived) {
    const read = namesReadBy((record) => compute(record as never, { currency: 'USD', signUp: 'open' }), context)
    checkRead(context, `field "${name}"`, read)
    for (const other of read) {
      if (!names.has(other) || computed.has(other)) continue
      if (other === name) report(`field "${name}"`, 'is computed from itself')
      else report(`field "${name}"`, `is computed from "${other}", which is computed after it: declare that one first`)
    }
    computed.add(name)
  }
  for (const [name, follow] of Object.entries(declared.follow ?? {})) {
    if (!follow) continue
    const read = namesReadBy(follow as (record: object) => unknown, context)
    checkRead(context, `follow.${name}`, read)
    for (const other of read)
      if (declared.fields[other]?.virtual) report(`follow.${name}`, `reads "${other}", which is not stored`)
  }
}
