/** Finds and launches the browser. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** If it is installed, the headless shell is used. It needs a quarter less processor time than the whole browser, with the same engine. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const files = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => [name, folder]))
const inOrder = NAMES.flatMap((name) => files.filter(([one]) => one === name))
const FILE =
  process.env.CHROMIUM ?? inOrder.map(([name = '', folder = '']) => join(folder, name)).find(isExecutable)

/** Why browser tests cannot run, or false: the `skip` of such a test. If `CI` is set, it is a failure instead. */
export const noBrowser: string | false =
  FILE === undefined ? `no browser: set CHROMIUM, or install one of ${NAMES.join(', ')}` : false

if (noBrowser && process.env.CI) throw new Error(noBrowser)

/** Launches the browser. The caller closes it. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: FILE ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,TcpPortRandomizationWin,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,WebUIReloadButton,WebUIToolbar,InitialWebUI,PreloadTopChromeWebUI,WebUIReloadButtonProfilePrewarming,SpareRendererForSitePerProcess',
      '--in-process-gpu',
    ],
  })
