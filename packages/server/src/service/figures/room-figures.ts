/** What fills up unseen: the disk beside the database, and the mails that nobody takes. */
import { statfs } from 'node:fs/promises'
import type { Family } from '../../observe/family.ts'
import { type Source, shared } from '../../observe/meter.ts'
import type { Engine } from '../../perform/engine.ts'
import { always } from '../../resource/condition.ts'

/** Of the disk that has this folder; what only the superuser may use is not free. */
export function diskFigures(dataDir: string): Source {
  return async (): Promise<Family[]> => {
    const { bavail, blocks, bsize } = await statfs(dataDir)
    return [
      shared({ name: 'bindery_disk_free_bytes', help: 'Room on the disk of the data folder.' }, bavail * bsize),
      shared({ name: 'bindery_disk_bytes', help: 'Size of the disk of the data folder.' }, blocks * bsize),
    ]
  }
}

/** Nothing in an application without mails. */
export function mailFigures({ catalog, storage }: Pick<Engine, 'catalog' | 'storage'>): Source {
  return async (): Promise<Family[]> => {
    if (!catalog.outgoingMail) return []
    const waiting = await storage.count(catalog.outgoingMail.resource, always)
    return [shared({ name: 'bindery_mails_waiting', help: 'Mails that were not sent yet.' }, waiting)]
  }
}
