/** Tests ask as a person who has logged in. */
import type { AskOptions, TestService } from 'bindery-server/test'

export async function credentialOf(service: TestService): Promise<AskOptions> {
  return { token: (await service.person()).token }
}
