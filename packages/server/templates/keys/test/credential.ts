/** Tests ask with an API key. */
import type { AskOptions, TestService } from 'bindery-server/test'

export async function credentialOf(service: TestService): Promise<AskOptions> {
  return { key: await service.key(await service.admin()) }
}
