/** The opening of tests of files: the service of `file-resources.ts`, and Ann. */
import { after } from 'node:test'
import type { DeclaredResource } from '../../src/index.ts'
import { startService, type TestPerson, type TestService } from '../../src/testing/index.ts'
import { resources } from './file-resources.ts'

/** Ends with the tests of the file. */
export async function openFiles(): Promise<{ readonly service: TestService; readonly ann: TestPerson }> {
  const service = await startService(resources as readonly DeclaredResource[], { env: { RATE_LIMIT: '' } })
  after(() => service.stop())
  return { service, ann: await service.person() }
}
