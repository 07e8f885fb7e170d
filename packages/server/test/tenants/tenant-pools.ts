/** The records and values that requests of the proof name: of tenant A, of tenant B, or of both. */
import type { Known } from '../scale/random-requests.ts'

export type Side = 'own' | 'other'

export type Pools = {
  /** The ids that requests name, by their places. */
  readonly ids: readonly string[]
  readonly known: Known
  /** The tenants that a header or a body names. */
  readonly tenants: readonly string[]
  /** Values of stored records, of both tenants. */
  readonly values: readonly unknown[]
}

const valuesMax = 80
const createdId = /"id":"([0-9a-f-]{36})"/
const shownTexts = /"(?:name|title|code|text)":"([^"\\]{1,60})"/g

export function makePools(tenants: readonly string[]) {
  const ids: string[] = []
  const places = { own: new Map<string, number[]>(), other: new Map<string, number[]>() }
  const values: unknown[] = ['a', 'b']
  const of = (side: Side, resource: string) => places[side].get(resource) ?? []
  const note = (side: Side, resource: string, id: string) => {
    places[side].set(resource, [...of(side, resource), ids.push(id) - 1])
  }
  const all: Pools = { ids, tenants, values, known: (resource) => [...of('own', resource), ...of('other', resource)] }
  return {
    all,
    side: (side: Side): Pools => ({ ...all, known: (resource) => of(side, resource) }),
    note,
    /** Notes the id of a new record, and texts. */
    noteShown(
      side: Side,
      makes: string | undefined,
      { status, text }: { readonly status: number; readonly text: string },
    ) {
      const id = status === 201 ? createdId.exec(text)?.[1] : undefined
      if (makes !== undefined && id !== undefined) note(side, makes, id)
      for (const [, shown] of text.matchAll(shownTexts)) if (values.length < valuesMax) values.push(shown)
    },
  }
}
