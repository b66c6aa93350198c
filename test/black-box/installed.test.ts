/** The packed tarball, installed in an empty project on the oldest Node. The suite runs against `npx phaseboard serve`, in both modes. */
import t from 'tap'
import { installPackage } from '../installed-package.ts'
import { walkBothModes } from './service.ts'

t.test("the installed package's npx phaseboard serve", async (t) => {
  const { folder, environment } = await installPackage(t, '22.18.0')
  await walkBothModes(t, { command: 'npx', args: ['phaseboard', 'serve'], cwd: folder, env: environment })
})
