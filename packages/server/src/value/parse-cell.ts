/**
 * Parses one value that is written as a text alone, as cells of tables and parts of forms are, by
 * the type of its field.
 */
import type { Field } from '../resource/fields/field.ts'
import { parseJson } from './json.ts'
import { representValue } from './represent.ts'

/** `["a","b"]`, `a;b`, `a` → a list. */
function parseListCell(cell: string, name: string, item: Field | undefined): unknown {
  if (cell.trimStart().startsWith('[')) return parseJson(cell)
  const parts = cell
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return !item || item.type.isProse ? parts : parts.map((part) => parseCell(part, name, item))
}

/** The JSON value of a cell. Throws `bad-request`. */
export function parseCell(cell: string, name: string, field: Field): unknown {
  const { type } = field
  if ((type.item || type.isList) && !type.holdsFiles) return parseListCell(cell, name, type.item)
  if (type.isCellJson) return parseJson(cell)
  return representValue(field, type.parseCell ? type.parseCell(cell, name, field) : type.parse(cell, name, field))
}
