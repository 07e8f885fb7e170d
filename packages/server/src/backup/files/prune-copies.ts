/** Removes copies of files that no backup in the place names any more. */
import { fileLines } from '../../storage/copy/file-lines.ts'
import type { ObjectStore } from '../../stores/object-store.ts'
import { backupOfList, copiesFolder, idOfCopy, listName, listsFolder } from './copy-names.ts'
import { isMarked, whileMarked } from './place-marks.ts'

async function isThere(store: ObjectStore, name: string): Promise<boolean> {
  return (await store.list(name)).some((one) => one.name === name)
}

/** Removes the lists of backups that are gone. Returns the others, and whether any was removed. */
async function keptLists(store: ObjectStore) {
  const kept: string[] = []
  let hasGone = false
  for (const { name } of await store.list(listsFolder)) {
    if (await isThere(store, backupOfList(name))) kept.push(name)
    else {
      await store.remove(name)
      hasGone = true
    }
  }
  return { kept, hasGone }
}

async function removeUnnamed(store: ObjectStore, named: ReadonlySet<string>): Promise<number> {
  let count = 0
  for (let i = 0; i < 256; i += 1) {
    const digits = i.toString(16).padStart(2, '0')
    for (const { name } of await store.list(`${copiesFolder}${digits}/`)) {
      if (named.has(idOfCopy(name))) continue
      await store.remove(name)
      count += 1
    }
  }
  return count
}

/**
 * Does nothing while a backup goes on in the place: a later call does it. Returns how many copies
 * were removed.
 */
export async function pruneCopies(store: ObjectStore): Promise<number> {
  if ((await store.list(listsFolder)).length === 0) return 0
  return whileMarked(store, 'pruning', async () => {
    if (await isMarked(store, 'copying')) return 0
    const { kept, hasGone } = await keptLists(store)
    if (!hasGone) return 0
    const named = new Set<string>()
    for (const name of kept)
      for await (const { bytes } of fileLines(await store.read(name)))
        named.add((JSON.parse(bytes.toString('utf8')) as { readonly id: string }).id)
    return removeUnnamed(store, named)
  })
}

/** Removes the lists of backups that this one has replaced. */
export async function removeReplacedLists(store: ObjectStore, backup: string, stamp: string): Promise<void> {
  for (const { name } of await store.list(`${listsFolder}${backup}.`))
    if (backupOfList(name) === backup && name !== listName(backup, stamp)) await store.remove(name)
}
