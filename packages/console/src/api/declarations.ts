/** The declarations as far as the caller may use them: menus, lists and forms are made of them. */
import { useQuery } from '@tanstack/react-query'
import type { LabelDescription, ResourceDescription, ResourceSummary } from 'bindery-server/client'
import { engineLabel, language } from '../words/words.ts'
import { client } from './client.ts'
import { isViewing } from './viewing.ts'

/** They change when the server starts with another declaration. */
const fresh = 30_000

/** With the label in the language of the page, where the declaration has it. */
export function inLanguage<T extends LabelDescription>(one: T): T {
  const label = one.labels?.[language]
  return label === undefined ? one : { ...one, label }
}

type Named = Pick<ResourceSummary, 'label' | 'labels' | 'plural' | 'plurals'>

/** With the names of one record and of several in the language of the page. */
export function namesInLanguage<T extends Named>(one: T): T {
  const { plurals, plural } = one
  return { ...inLanguage(one), plural: plurals?.[language] ?? plural }
}

function summaryInLanguage<T extends ResourceSummary>(one: T): T {
  const { menu, engine } = one
  const named = namesInLanguage(one)
  const { label, plural } = named
  return {
    ...named,
    ...(menu && { menu: inLanguage(menu) }),
    ...(engine && { label: engineLabel(label), plural: engineLabel(plural) }),
  }
}

/** The application names none of the engine's fields in other languages. */
function partOf<T extends LabelDescription>({ engine }: ResourceSummary): (part: T) => T {
  return (part) => (engine ? { ...part, label: engineLabel(part.label) } : inLanguage(part))
}

function describedInLanguage(one: ResourceDescription): ResourceDescription {
  return {
    ...summaryInLanguage(one),
    fields: one.fields.map(partOf(one)),
    actions: one.actions.map(partOf(one)),
    children: one.children.map(inLanguage),
    ...(one.groups && { groups: one.groups.map(inLanguage) }),
  }
}

const reading = ['list', 'get']

/** In the view of a user nothing can be changed, so the pages offer none of it. */
function onlyRead(one: ResourceDescription): ResourceDescription {
  const { operations, refused = [] } = one
  const others = operations.filter((name) => !reading.includes(name))
  const read = operations.filter((name) => reading.includes(name))
  return { ...one, operations: read, refused: [...others, ...refused], actions: [] }
}

type ToldResources = {
  readonly resources: readonly ResourceSummary[]
  readonly operates: boolean
  readonly erases?: boolean
  /** Absent where the application has neither. */
  readonly works?: readonly string[]
}

export const resourcesQuery = {
  queryKey: ['_resources'],
  staleTime: fresh,
  async queryFn({ signal }: { readonly signal: AbortSignal }): Promise<ToldResources> {
    const told = (await client.send('GET', '/api/v1/_resources', { signal })).body as ToldResources
    return { ...told, resources: told.resources.map(summaryInLanguage) }
  },
}

function useTold<T>(select: (told: ToldResources) => T) {
  return useQuery({ ...resourcesQuery, select })
}

const resourcesOf = ({ resources }: ToldResources) => resources
const erasesOf = ({ erases }: ToldResources) => erases
const worksOf = ({ works }: ToldResources) => works
const operatesOf = ({ operates }: ToldResources) => operates

export function useResources() {
  return useTold(resourcesOf)
}

/** Whether the caller runs the service. */
export function useOperates(): boolean {
  return useTold(operatesOf).data === true
}

const noWorks: readonly string[] = []

/** The kinds of work that the application declares, for the caller who runs the service. */
export function useWorks(): readonly string[] {
  return useTold(worksOf).data ?? noWorks
}

/** Whether the caller may erase records with every copy of their values. */
export function useErases(): boolean {
  return useTold(erasesOf).data === true
}

export function resourceQuery(slug: string) {
  return {
    queryKey: ['_resources', slug],
    staleTime: fresh,
    async queryFn({ signal }: { readonly signal: AbortSignal }): Promise<ResourceDescription> {
      const { body } = await client.send('GET', `/api/v1/_resources/${encodeURIComponent(slug)}`, { signal })
      const described = describedInLanguage(body as ResourceDescription)
      return isViewing() ? onlyRead(described) : described
    },
  }
}

export function useResource(slug: string) {
  return useQuery(resourceQuery(slug))
}
