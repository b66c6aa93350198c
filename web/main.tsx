/** The board page: what the browser runs first. */
import { render } from 'preact'
import './shared/styles/index.css'

const root = document.querySelector('#app')
if (root) render(<h1>Phaseboard</h1>, root)
