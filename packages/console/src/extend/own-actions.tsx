/** The application's own actions on a record: buttons, each of which opens a dialog. */
import type { ModuleDescription, ResourceDescription } from 'bindery-server/client'
import { useState } from 'react'
import { modulesOf } from '../api/console-facts.ts'
import type { Row } from '../api/rows.ts'
import { Sheet } from '../shell/sheet.tsx'
import { t } from '../words/words.ts'
import { Mounted, ownContext } from './mounted.tsx'

type OwnActionsProps = { readonly resource: ResourceDescription; readonly record: Row }
type OwnDialogProps = OwnActionsProps & { readonly module: ModuleDescription; onClose(): void }

function OwnDialog({ module, resource, record, onClose }: OwnDialogProps) {
  const context = { ...ownContext, resource, record, close: onClose }
  return (
    <Sheet label={module.label} onClose={onClose}>
      <Mounted module={module} context={context} />
      <button type="button" onClick={onClose}>
        {t('close')}
      </button>
    </Sheet>
  )
}

export function OwnActions({ resource, record }: OwnActionsProps) {
  const [open, setOpen] = useState<ModuleDescription>()
  return (
    <>
      {modulesOf(`actions/${resource.name}.`).map((module) => (
        <button key={module.name} type="button" onClick={() => setOpen(module)}>
          {module.label}
        </button>
      ))}
      {open && <OwnDialog module={open} resource={resource} record={record} onClose={() => setOpen(undefined)} />}
    </>
  )
}
