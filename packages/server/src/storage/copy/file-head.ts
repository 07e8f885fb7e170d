/**
 * The format of an export file: NDJSON that holds a whole database. The first line lists the
 * resources and their fields. For each resource, its rows follow as arrays of stored values in the
 * order of those fields, a record's version last. A line with the row count and SHA-256 ends it.
 */
import { hash } from 'node:crypto'
import { StartError } from '../../errors.ts'
import type { Catalog, Resource } from '../../resource/catalog.ts'
import type { Field } from '../../resource/fields/field.ts'
import { storedAs } from '../../resource/fields/field-facts.ts'
import { columnOf, type ModelTable, versionColumn } from '../model/model.ts'
import { ownRows } from './own-rows.ts'

const format = 'bindery database'
const formatVersion = 1

export type FileResource = {
  readonly name: string
  readonly rows: number
  /** The highest id ever generated; 0 for ids that the database does not generate. */
  readonly lastId: number
  /** The fields in the order of the values, each with the name of its type. */
  readonly fields: Readonly<Record<string, string>>
}
export type FileHead = {
  readonly format: typeof format
  readonly formatVersion: number
  readonly writtenAt: string
  /** SHA-256 of the resources, fields and types of the application that wrote it. */
  readonly model: string
  /**
   * Whether the file has hashes of passwords, keys and tokens. Without them, it has no fields that
   * hold such hashes.
   */
  readonly secrets: boolean
  readonly resources: readonly FileResource[]
}
export type FileChecksum = { readonly resource: string; readonly rows: number; readonly sha256: string }

/**
 * The type of a field as the file writes it. Values of another type may mean something else,
 * although they look the same.
 */
export function typeInFile(field: Field): string {
  return storedAs(field)
}

function typesOf({ fields }: Resource, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, typeInFile(fields[name] as Field)]))
}

/** The stored fields that a file holds. */
function fieldsInFile(resource: Resource, secrets: boolean): readonly string[] {
  return resource.storedNames.filter((name) => secrets || resource.fields[name]?.type.secret === undefined)
}

/** A table in a file: its name and fields there, and the columns that their values come from. */
export type TableInFile = Pick<FileResource, 'name' | 'fields'> & { readonly columns: readonly string[] }

/** The service's own tables have their names in the file too, which no resource may have. */
export function tableInFile({ resources }: Catalog, table: ModelTable, secrets: boolean): TableInFile {
  const { name, columns } = table
  if (ownRows.some((own) => own.name === name)) {
    const fields = Object.fromEntries(columns.map((one) => [one.name, one.type]))
    return { name, fields, columns: columns.map((one) => one.name) }
  }
  const resource = [...resources.values()].find((one) => one.table === name)
  if (!resource) throw new Error(`no resource has the table ${name}`)
  const names = fieldsInFile(resource, secrets)
  return {
    name: resource.name,
    fields: typesOf(resource, names),
    columns: [...names.map(columnOf), versionColumn],
  }
}

/** SHA-256 as hex: the same for the same resources, fields and types. */
export function fingerprintOf({ resources }: Catalog): string {
  const all = [...resources.values()].map((one) => [one.name, typesOf(one, one.storedNames)])
  return hash('sha256', JSON.stringify(all), 'hex')
}

type FileHeadValues = Omit<FileHead, 'format' | 'formatVersion'>

export function printHead(head: FileHeadValues): string {
  return `${JSON.stringify({ format, formatVersion, ...head } satisfies FileHead)}\n`
}

/** Throws `StartError` for a line that is no such first line, or one of a later format. */
export function parseHead(line: string | undefined): FileHead {
  let head: Partial<FileHead> | null = null
  try {
    head = JSON.parse(line ?? '') as Partial<FileHead> | null
  } catch {}
  if (head?.format !== format) throw new StartError('This is no file of bindery export --all: its first line says so')
  if (head.formatVersion !== formatVersion)
    throw new StartError(
      `The file has format ${head.formatVersion}, and this version of Bindery reads ${formatVersion}: take the version that wrote it, or a later one`,
    )
  return head as FileHead
}
