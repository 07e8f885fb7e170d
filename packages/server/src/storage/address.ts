/** Which database is meant, in words that hold no password, and whether two are the same one. */
import { statSync } from 'node:fs'
import type { Database } from '../config.ts'

type Address = Pick<Extract<Database, { kind: 'sqlite' }>, 'path'> | { readonly url: string }

/** `sqlite:/data/bindery.db`, `postgres://db.example:5432/shop`: without user and password. */
export function addressOf(database: Address): string {
  if ('path' in database) return `sqlite:${database.path}`
  const { hostname, port, pathname, searchParams } = new URL(database.url)
  const host = searchParams.get('host') ?? hostname
  const schema = searchParams.get('options')
  const end = schema ? `?options=${schema}` : ''
  return `postgres://${host || 'localhost'}:${(searchParams.get('port') ?? port) || 5432}${pathname}${end}`
}

function fileOf(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false })
  return file && `${file.dev} ${file.ino}`
}

/** Also by another path to the same file, or another name of this machine. */
export function isSameDatabase(a: Database, b: Database): boolean {
  if (a.kind === 'sqlite' && b.kind === 'sqlite') {
    if (a.path === b.path) return true
    const file = fileOf(a.path)
    return file !== undefined && file === fileOf(b.path)
  }
  const local = (database: Database) => addressOf(database).replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:')
  return local(a) === local(b)
}
