/** The columns of a list: the title of a record first, which is its link. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { followIn, hrefOf } from '../address/router.ts'
import { isLinks } from '../api/requested-fields.ts'
import type { Row } from '../api/rows.ts'
import { isVisible, titleIn } from '../api/titles.ts'
import { showField } from '../extend/own-value.tsx'
import { kindOf } from '../fields/field-kinds.ts'
import { growsIn, isFigure, showValue } from '../fields/show-value.tsx'
import type { GridColumn } from '../grid/grid-column.ts'
import type { SaveOrMerge } from '../merge/merging.tsx'
import { CellEditor, isEditable } from './cell-editor.tsx'

/** The fields that a list may show, its title first. */
export function listedFields({ fields, title }: ResourceDescription): readonly FieldDescription[] {
  const shown = fields.filter(({ secret, type }) => !secret && type !== 'id')
  const first = shown.find(({ name }) => name === title)
  return [...(first ? [first] : []), ...shown.filter((one) => one !== first)]
}

/**
 * The fields of a list whose columns have not been chosen: those of the declaration, else all but
 * links, which the server reads only for those who ask, and the keys of an order.
 */
export function fieldsShown(resource: ResourceDescription): readonly FieldDescription[] {
  const { columns, fields } = resource
  if (columns) return columns.flatMap((name) => fields.filter((field) => field.name === name))
  return listedFields(resource).filter((field) => !isLinks(field) && field.type !== 'manualOrder')
}

type TitleProps = { readonly resource: ResourceDescription; readonly field: FieldDescription; readonly row: Row }

/** No tab stop: Enter on its cell opens it. */
function TitleLink({ resource, field, row }: TitleProps) {
  const href = hrefOf([resource.slug, String(row[resource.idField])])
  return (
    <a href={href} tabIndex={-1} onClick={followIn(href)}>
      {isVisible(row[field.name]) ? showValue(field, row[field.name]) : titleIn(resource, row)}
    </a>
  )
}

/** In pixels. Texts grow beyond it. */
export function defaultWidth({ title }: ResourceDescription, field: FieldDescription): number {
  return field.name === title ? 240 : (kindOf(field).width ?? 144)
}

type Chosen = {
  readonly fields: readonly FieldDescription[]
  readonly widths: Readonly<Record<string, number>>
  /** Saves an edit of a cell. */
  readonly save: SaveOrMerge
}

export function columnsOf(resource: ResourceDescription, { fields, widths: chosen, save }: Chosen): GridColumn[] {
  return fields.map((field, i) => ({
    id: field.name,
    label: field.label,
    width: chosen[field.name] ?? defaultWidth(resource, field),
    grows: chosen[field.name] === undefined && growsIn(field),
    sortable: field.sortable,
    isFigure: isFigure(field) && i > 0,
    opens: i === 0,
    show: (row) =>
      i === 0 ? <TitleLink resource={resource} field={field} row={row} /> : showField(resource, field, row),
    edit: isEditable(resource, field)
      ? (row, leave) => <CellEditor field={field} row={row} save={save} leave={leave} />
      : undefined,
  }))
}
