import { render } from 'preact';
import './styles/tokens.css';
import './styles/layout.css';
import './styles/tables.css';
import './styles/parts.css';
import './styles/forms.css';
import { App } from './app.tsx';
import { followAddress } from './state/route.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
followAddress();
const host = document.getElementById('app');
if (host !== null) render(<App />, host);
