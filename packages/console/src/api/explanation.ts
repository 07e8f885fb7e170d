/**
 * Actions that the page does not offer, and the server's explanation of each: `?_explain=access` on
 * the request that the button would send. Nothing is done by it.
 */
import { useQuery } from '@tanstack/react-query'
import { RequestError, type ResourceDescription } from 'bindery-server/client'
import { inSentence, t } from '../words/words.ts'
import { client } from './client.ts'

export type Refusal = {
  readonly label: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`. */
  readonly path: string
  /** The page itself knows it: the record is in another state. */
  readonly reason?: string
  /** Whether the caller may ask the server why. */
  readonly mayAsk: boolean
}

type Compared = { readonly field: string; readonly operator: string; readonly is?: unknown; readonly with?: unknown }
export type Clause = {
  readonly at: string
  readonly rule: string
  readonly verdict: 'holds' | 'fails' | 'unknown' | 'depends' | 'hidden'
  readonly compared?: readonly Compared[]
  readonly parts?: readonly Clause[]
}
export type Explanation = {
  readonly allowed: boolean | null
  readonly refusal?: { readonly code: string; readonly message: string }
  readonly decidedBy: readonly string[]
  readonly rules: readonly (Clause & { readonly declaredIn?: string; readonly judges: string })[]
}

/** The sentence of the server where it does not explain: the record is not found, say. */
type Answer = { readonly explained?: Explanation; readonly problem?: string }

export function useExplanation({ method, path, mayAsk }: Refusal) {
  return useQuery({
    queryKey: ['_explain', method, path],
    enabled: mayAsk,
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Answer> => {
      try {
        const { body } = await client.send(method, `/api/v1${path}`, { query: { _explain: 'access' }, signal })
        return { explained: (body as { readonly data: Explanation }).data }
      } catch (error) {
        if (error instanceof RequestError) return { problem: error.message }
        throw error
      }
    },
  })
}

/** `shipAll` → `Ship all`, as the server makes a label. */
function labelOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

const requestOf = { create: 'POST', update: 'PATCH', delete: 'DELETE', list: 'GET' } as const
type Asked = keyof typeof requestOf
/** The others are no buttons of a list or a record. */
const isAsked = (name: string): name is Asked => Object.hasOwn(requestOf, name)
const unasked = ['get', 'replace', 'import', 'export']

type On = { readonly path: string; readonly id: string | undefined; readonly title?: string | undefined }

/**
 * The operations of this resource that the caller may do to no record. Those on one record are
 * asked for this one, where there is one. A list says its title.
 */
export function refusalsOf(resource: ResourceDescription, { path, id, title }: On): readonly Refusal[] {
  const { refused = [], label, plural } = resource
  const which = title === undefined ? '' : `: ${title}`
  const words: Readonly<Record<Asked, string>> = {
    create: t('create', { label: inSentence(label) }),
    update: t('edit') + which,
    delete: t('delete') + which,
    list: t('seeList', { plural }),
  }
  const actions = refused.filter((name) => !isAsked(name) && !unasked.includes(name))
  const at = id === undefined ? undefined : `${path}/${encodeURIComponent(id)}`
  const known = refused.filter(isAsked).flatMap((name): Refusal[] => {
    const place = name === 'create' || name === 'list' ? path : at
    return place === undefined ? [] : [{ label: words[name], method: requestOf[name], path: place, mayAsk: true }]
  })
  if (at === undefined) return known
  const acts = actions.map(
    (name): Refusal => ({ label: labelOf(name) + which, method: 'POST', path: `${at}/${kebabOf(name)}`, mayAsk: true }),
  )
  return [...known, ...acts]
}

/** `shipAll` → `ship-all`, the segment of its path. */
function kebabOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
