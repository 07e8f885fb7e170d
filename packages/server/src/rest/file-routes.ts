/**
 * Derives the routes of files from the declarations: below each record, one path for each field
 * that holds files. Data only; `files/` handles their requests.
 */
import type { Catalog, Resource } from '../resource/catalog.ts'
import type { Field } from '../resource/fields/field.ts'
import { kebabOf } from '../resource/words/names.ts'
import { makeRoutes, type Route } from './route.ts'

/**
 * `read` and `readOne`: the bytes of the file, or of one of a list. `put`: gives the record a file,
 * `add` one more. `clear` and `remove`: the record has it no more.
 * `link` and `linkOne`: a signed address.
 */
export type FileAction = 'read' | 'readOne' | 'put' | 'add' | 'clear' | 'remove' | 'link' | 'linkOne'

export type FileRoute = {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly action: FileAction
  /** The name of the field. */
  readonly field: string
  /** The route of the record: its `get`, or its `update`, whose rules hold. */
  readonly of: Route
}

/** The parameter of a path that names one file of a list. */
export const fileParameter = 'file'
/** The parameter of a query that names a variant of an image. */
export const variantParameter = 'variant'
/** The parameter of reads that names the fields whose addresses are signed. */
export const signParameter = '_sign'

/** Ends the path that signs an address. */
export const linkPath = '/_link'

/** How long a signed address is good. */
export const linkSeconds = { default: 3600, min: 60, max: 7 * 86_400 } as const

export const isLink = ({ action }: Pick<FileRoute, 'action'>) => action === 'link' || action === 'linkOne'

const actions = {
  one: { get: ['read', 'link'], update: ['put', 'clear'] },
  many: { get: ['readOne', 'linkOne'], update: ['add', 'remove'] },
} as const
const methods = {
  read: 'GET',
  readOne: 'GET',
  put: 'PUT',
  add: 'POST',
  clear: 'DELETE',
  remove: 'DELETE',
  link: 'POST',
  linkOne: 'POST',
} as const
const ofOne: readonly FileAction[] = ['readOne', 'remove', 'linkOne']

function routesOf(route: Route, field: string): FileRoute[] {
  const { resource, operation } = route.target
  const { holdsFiles } = (resource.fields[field] as Field).type
  if (!holdsFiles || (operation !== 'get' && operation !== 'update')) return []
  return actions[holdsFiles][operation].map((action) => {
    const one = ofOne.includes(action) ? `/:${fileParameter}` : ''
    const below = `${one}${isLink({ action }) ? linkPath : ''}`
    return { method: methods[action], path: `${route.path}/${kebabOf(field)}${below}`, action, field, of: route }
  })
}

/** Whether the route is that of a record by its own path, to which files have addresses. */
function isOwn({ target, steps, key, isSelf, many, branch }: Route): boolean {
  return !target.nested && steps.length === 0 && key === undefined && !isSelf && !many && !branch
}

function hasFiles({ fileNames }: Resource): boolean {
  return fileNames.length > 0
}

/** Whether reads of the route may ask for signed addresses: their records have such addresses. */
export function takesSign({ target, summarizes, compares }: Route): boolean {
  const { resource, operation } = target
  if (summarizes || compares || resource.path === undefined || !resource.access.get) return false
  return (operation === 'list' || operation === 'get') && hasFiles(resource)
}

/** None where no field holds files. */
export function makeFileRoutes(catalog: Catalog): readonly FileRoute[] {
  if (!catalog.files) return []
  return makeRoutes(catalog)
    .filter((route) => isOwn(route) && hasFiles(route.target.resource))
    .flatMap((route) => route.target.resource.fileNames.flatMap((field) => routesOf(route, field)))
}
