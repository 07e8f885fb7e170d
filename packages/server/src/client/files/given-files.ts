/**
 * Values of forms of react-admin and Refine: files that a person has chosen are uploaded, and their
 * ids take their places.
 */
import type { ApiConnection } from '../make-connection.ts'
import type { ResourceSummary } from '../resource-description.ts'

type FormValues = Readonly<Record<string, unknown>>

/** `rawFile` is that of react-admin's inputs, `originFileObj` that of Ant Design's. */
type ChosenFile = { readonly rawFile?: unknown; readonly originFileObj?: unknown }

function fileIn(value: unknown): Blob | undefined {
  if (value instanceof Blob) return value
  if (typeof value !== 'object' || value === null) return undefined
  const { rawFile, originFileObj } = value as ChosenFile
  return [rawFile, originFileObj].find((one) => one instanceof Blob)
}

const holdsFiles = (value: unknown) => [value].flat().some((one) => fileIn(one) !== undefined)

/** `prefix`: of the paths of resources. */
export function makeGivenFiles(client: ApiConnection, prefix: string) {
  let reading: Promise<readonly ResourceSummary[]> | undefined

  /** The slug of the resource whose records are at this path. Throws `TypeError`. */
  async function slugOf(resource: string): Promise<string> {
    reading ??= client.send('GET', `${prefix}/_resources`).then(({ body }) => (body as { resources: [] }).resources)
    const known = await reading.catch((error) => {
      reading = undefined
      throw error
    })
    const last = `/${resource.split('/').at(-1)}`
    const found = known.find(({ path }) => path === `/${resource}`) ?? known.find(({ path }) => path === last)
    if (found) return found.slug
    throw new TypeError(`${resource} is the path of no resource, so its files cannot be uploaded`)
  }

  /** Throws `RequestError` where a file is refused. */
  return async (resource: string, values: FormValues): Promise<FormValues> => {
    const names = Object.keys(values).filter((name) => holdsFiles(values[name]))
    if (names.length === 0) return values
    const of = await slugOf(resource)
    const given: Record<string, unknown> = { ...values }
    for (const field of names) {
      const idOf = async (one: unknown) => {
        const file = fileIn(one)
        return file ? client.upload(file, { resource: of, field, memory: false }) : one
      }
      const value = values[field]
      if (!Array.isArray(value)) given[field] = await idOf(value)
      else {
        const ids: unknown[] = []
        for (const one of value) ids.push(await idOf(one))
        given[field] = ids
      }
    }
    return given
  }
}
