/**
 * Names of copies of files in a place of backups, below one folder. Bytes never change, so each
 * file has one copy for all backups that name it.
 */
import { hash } from 'node:crypto'

export const copiesFolder = 'file-copies/'
/** The ids that each backup names. */
export const listsFolder = `${copiesFolder}lists/`
/** Work that goes on. */
export const marksFolder = `${copiesFolder}marks/`

/** Whether a folder of a place of backups has copies of files. */
export function isCopiesFolder(folder: string): boolean {
  return /^file-copies\/(?:(?:[0-9a-f]{2}|lists|marks)\/)?$/.test(folder)
}

/** Copies for other recipients have another name, since their keys do not open this one. */
export function copyName(id: string, to: readonly string[]): string {
  const encrypted = to.length > 0 ? `.${hash('sha256', [...to].sort().join(), 'hex').slice(0, 12)}.age` : ''
  return `${copiesFolder}${id.slice(0, 2)}/${id}${encrypted}`
}

/** The id of the file of a copy. */
export function idOfCopy(name: string): string {
  return name.slice(copiesFolder.length + 3).split('.')[0] ?? ''
}

/** `stamp`: tells the list of a backup from that of one which it replaces. */
export function listName(backup: string, stamp: string): string {
  return `${listsFolder}${backup}.${stamp.replace(/[-:.]/g, '')}.ndjson`
}

/** The backup of a list. */
export function backupOfList(name: string): string {
  return name.slice(listsFolder.length).replace(/\.[^.]+\.ndjson$/, '')
}
