/** The service of the resources with counted fields, for processes that are killed. */
import { runService } from '../../src/index.ts'
import { loans, readers } from '../record/counted-resources.ts'

await runService(async () => [readers, loans])
