/** The application's own actions on a record: buttons, each of which opens a dialog. */
import type { ModuleDescription, ResourceDescription } from 'bindery-server/client'
import { useEffect, useRef, useState } from 'react'
import { modulesOf } from '../api/console-facts.ts'
import type { Row } from '../api/rows.ts'
import { t } from '../words/words.ts'
import { Mounted, ownContext } from './mounted.tsx'

type OwnActionsProps = { readonly resource: ResourceDescription; readonly record: Row }
type OwnDialogProps = OwnActionsProps & { readonly module: ModuleDescription; onClose(): void }

function OwnDialog({ module, resource, record, onClose }: OwnDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const context = { ...ownContext, resource, record, close: onClose }
  return (
    <dialog ref={dialog} aria-label={module.label} className="own" onClose={onClose}>
      <h2>{module.label}</h2>
      <Mounted module={module} context={context} />
      <button type="button" onClick={onClose}>
        {t('close')}
      </button>
    </dialog>
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
