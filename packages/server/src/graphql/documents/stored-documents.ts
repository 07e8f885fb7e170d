/**
 * Documents that a request names instead of sending. Clients register automatic persisted queries
 * by their SHA-256. The operator lists trusted documents; then no others are answered.
 */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type GraphQLError, type GraphQLSchema, stripIgnoredCharacters } from 'graphql'
import { LRUCache } from 'lru-cache'
import { ApiError, StartError } from '../../errors.ts'
import { documentError } from '../graphql-error.ts'
import { makeDocumentCache } from './document.ts'

/**
 * The ways in which a request gives its document: the text, its `documentId`, or the `sha256Hash`
 * of its `persistedQuery`.
 */
export type DocumentReference = {
  readonly text: string | undefined
  readonly id: string | undefined
  readonly hash: string | undefined
}

export type StoredDocuments = {
  /**
   * Throws `bad-request`, and a `GraphQLError` for a document that is not stored or not trusted.
   */
  textOf(asked: DocumentReference): string
}

/** Longer documents are not stored. */
const textCharsMax = 20_000
/**
 * For all registered texts. The least recently used are dropped, and clients send them once more.
 */
const rememberedCharsMax = 4_000_000

const missing = new ApiError('bad-request', 'Missing query')
/** Clients know the code and the message, and answer by sending the text. */
const notFound = documentError('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')

function hashOf(text: string): string {
  return hash('sha256', text)
}

/** `documentId` names a hash as `sha256:…`, by the draft of GraphQL over HTTP. */
function withoutPrefix(id: string | undefined): string | undefined {
  return id?.startsWith('sha256:') ? id.slice('sha256:'.length) : id
}

/** A client that registers a text under another hash could make others run it. */
function checkHash(text: string, asked: string | undefined): void {
  if (asked !== undefined && hashOf(text) !== asked)
    throw new ApiError('bad-request', 'extensions.persistedQuery.sha256Hash is not that of the query')
}

/** Stores the texts that clients register, as far as there is room. */
export function makePersistedQueries(): StoredDocuments {
  const texts = new LRUCache<string, string>({
    maxSize: rememberedCharsMax,
    maxEntrySize: textCharsMax,
    sizeCalculation: (text) => text.length + 64,
  })
  return {
    textOf({ text, id, hash }) {
      if (text !== undefined) {
        checkHash(text, hash)
        if (hash !== undefined) texts.set(hash, text)
        return text
      }
      const name = hash ?? withoutPrefix(id)
      if (name === undefined) throw missing
      const found = texts.get(name)
      if (found === undefined) throw notFound
      return found
    },
  }
}

type Manifest = { readonly operations?: readonly { readonly id?: unknown; readonly body?: unknown }[] }

/**
 * `{ id: text }`, as code generators write it, or Apollo's manifest, `{ operations: [{ id, body }]
 * }`. Throws a sentence.
 */
function entriesOf(json: unknown): [id: string, text: string][] {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new Error('must be a JSON object')
  const { operations } = json as Manifest
  const entries: [unknown, unknown][] = Array.isArray(operations)
    ? operations.map(({ id, body }) => [id, body])
    : Object.entries(json)
  for (const [id, text] of entries)
    if (typeof id !== 'string' || typeof text !== 'string') throw new Error('must have a text for each id')
  return entries as [string, string][]
}

function refuseFile(file: string, problem: string): never {
  throw new StartError(`GRAPHQL_DOCUMENTS: ${file} ${problem}`)
}

function readEntries(file: string): [id: string, text: string][] {
  try {
    return entriesOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    return refuseFile(file, (error as NodeJS.ErrnoException).code ? 'cannot be read' : (error as Error).message)
  }
}

/**
 * The same document whatever its white space and comments; undefined for a text that cannot be
 * read.
 */
function stripped(text: string): string | undefined {
  try {
    return stripIgnoredCharacters(text)
  } catch {
    return undefined
  }
}

/**
 * Answers the documents of this file and no others, by their id, their hash, or their text. Throws
 * `StartError` for an unreadable file, and for a document that the schema does not allow.
 */
export function readTrustedDocuments(file: string, schema: GraphQLSchema): StoredDocuments {
  const documents = makeDocumentCache(schema)
  const byName = new Map<string, string>()
  const byText = new Map<string, string>()
  for (const [id, text] of readEntries(file)) {
    let problem: string | undefined
    try {
      const known = documents.read(text)
      if (!('document' in known)) problem = known[0]?.message
    } catch (error) {
      problem = (error as GraphQLError).message
    }
    if (problem !== undefined) refuseFile(file, `has a document "${id}" that cannot run: ${problem}`)
    for (const name of [hashOf(text), withoutPrefix(id) as string]) byName.set(name, text)
    byText.set(stripped(text) as string, text)
  }
  const charsMax = 2 * Math.max(0, ...[...byName.values()].map((text) => text.length))

  return {
    textOf({ text, id, hash }) {
      const name = hash ?? withoutPrefix(id)
      if (text === undefined && name === undefined) throw missing
      const found = name === undefined ? undefined : byName.get(name)
      if (found !== undefined && text === undefined) return found
      if (text === undefined) throw documentError('No trusted document has this id', 'PERSISTED_QUERY_NOT_IN_LIST')
      checkHash(text, hash)
      const trusted = text.length > charsMax ? undefined : byText.get(stripped(text) ?? '')
      if (trusted === undefined) throw documentError('Only trusted documents are answered', 'QUERY_NOT_IN_SAFELIST')
      return trusted
    },
  }
}
