/** The tools of a list, each a button that opens its panel: columns, views, requests to copy. */
import type { FieldDescription, ResourceDescription } from 'bindery-server/client'
import { type ReactNode, useState } from 'react'
import type { ListQuery } from '../address/request-line.ts'
import { canRestore } from '../api/trash.ts'
import { loaded } from '../shell/loaded.tsx'
import { t } from '../words/words.ts'
import { ImportButton } from './empty-list.tsx'
import type { ListChoices } from './list-choices.ts'

const ColumnsPanel = loaded(() => import('./columns-panel.tsx').then((part) => part.ColumnsPanel))
const ViewsPanel = loaded(() => import('./views-panel.tsx').then((part) => part.ViewsPanel))
const CopyPanel = loaded(() => import('./copy-panel.tsx').then((part) => part.CopyPanel))
const ExportPanel = loaded(() => import('./export-panel.tsx').then((part) => part.ExportPanel))
const TrashPanel = loaded(() => import('./trash-panel.tsx').then((part) => part.TrashPanel))

type ListToolsProps = {
  readonly resource: ResourceDescription
  readonly query: ListQuery
  readonly shown: readonly FieldDescription[]
  readonly choices: ListChoices
  onChoose(changes: Partial<ListChoices>): void
}

export function ListTools({ resource, query, shown, choices, onChoose }: ListToolsProps) {
  const [open, setOpen] = useState<string>()
  const fields = shown.map(({ name }) => name)
  const panels: Readonly<Record<string, { readonly label: string; readonly panel: ReactNode }>> = {
    columns: { label: t('columns'), panel: <ColumnsPanel {...{ resource, shown, choices, onChoose }} /> },
    views: { label: t('views'), panel: <ViewsPanel {...{ resource, query, shown, choices, onChoose }} /> },
    copy: { label: t('copyAs'), panel: <CopyPanel {...{ resource, query, fields }} /> },
    export: { label: t('export'), panel: <ExportPanel {...{ resource, query, fields }} /> },
    ...(canRestore(resource) && { trash: { label: t('trash'), panel: <TrashPanel resource={resource} /> } }),
  }
  return (
    <>
      {Object.entries(panels).map(([name, { label }]) => (
        <button
          key={name}
          type="button"
          aria-expanded={open === name}
          onClick={() => setOpen(open === name ? undefined : name)}
        >
          {label}
        </button>
      ))}
      {resource.operations.includes('create') && !resource.madeBelow && <ImportButton resource={resource} />}
      {open && panels[open]?.panel}
    </>
  )
}
