/** The action that brings a record back from the trash, which the engine does itself. */
import type { EngineAction, EngineActions } from '../record/requested-write.ts'
import type { Resource } from '../resource/catalog.ts'
import { restoreTrashed } from '../resource/made/trash-table.ts'

const restore: EngineAction = {
  async work({ tx, requested: { resource: trash }, record }) {
    const resource: Resource = tx.catalog.get(trash.actions.restore?.returns as string)
    return { record: await tx.restore(trash, record), resource }
  },
}

export const trashActions: EngineActions = new Map([[restoreTrashed, restore]])
