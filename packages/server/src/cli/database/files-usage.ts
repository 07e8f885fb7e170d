/** The work of `bindery files usage`: how much the files of users and of tenants have. */
import { printBytes } from '../../base/print-bytes.ts'
import { makeTable } from '../../command/table.ts'
import { UsageError } from '../../command/usage-error.ts'
import { readConfig } from '../../config.ts'
import { type FileUse, readFileUse } from '../../perform/read/file-use.ts'
import { type CommandContext, withEngine } from '../console.ts'

const sentenceOf = (what: string, { files, bytes }: FileUse) => `${what}: ${files} files, ${printBytes(bytes)}`

function shareOf(bytes: number, max: number | undefined): string | null {
  return max === undefined ? null : `${Math.round((100 * bytes) / max)} % of ${printBytes(max)}`
}

export async function run(cli: CommandContext): Promise<void> {
  const { output } = cli
  const { perUserMax, perTenantMax } = readConfig().files
  const found = await withEngine(cli, async (engine) => {
    if (!engine.catalog.files) throw new UsageError('no field of this application holds a file')
    return readFileUse(engine)
  })
  if (output.json) {
    await output.value({ ...found, perUserMax: perUserMax ?? null, perTenantMax: perTenantMax ?? null })
    return
  }
  const { users, tenants, waiting, due } = found
  const rows = [
    ...users.map((one) => ({ ...one, of: 'user', quota: shareOf(one.bytes, perUserMax) })),
    ...tenants.map((one) => ({ ...one, of: one.tenant, quota: shareOf(one.bytes, perTenantMax) })),
  ]
  const table = makeTable(['of', 'id', 'files', 'size', 'quota'])
  await output.write(table.print(rows.map((row) => ({ ...row, size: printBytes(row.bytes) }))))
  output.note(sentenceOf('All', found))
  output.note(sentenceOf('Uploads without a record', waiting))
  output.note(sentenceOf('Removed by the next sweep', due))
}
