import {
  createBrowserHistory, createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect,
} from '@tanstack/react-router';
import { Frame } from '@/frame/frame';
import { Failed, NotFound } from '@/frame/failed';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound, errorComponent: Failed });

const index = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/home' });
  },
});

/** A page in a chunk of its own. */
function page<const P extends string>(path: P, load: () => Promise<{ default: React.ComponentType }>) {
  return createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load), errorComponent: Failed });
}

const skill = () => import('@/pages/skill');
const run = () => import('@/pages/run');
const approvals = () => import('@/pages/approvals');
const playground = () => import('@/pages/playground');
const journal = () => import('@/pages/journal');
const publishers = () => import('@/pages/publishers');
const chat = () => import('@/pages/chat');
const channels = () => import('@/pages/channels');

const routes = [
  index,
  page('/home', () => import('@/pages/home')),
  page('/chat', chat),
  page('/chat/$session', chat),
  page('/approvals', approvals),
  page('/approvals/$approval', approvals),
  page('/runs', () => import('@/pages/runs')),
  page('/runs/$run', run),
  page('/runs/$run/$tab', run),
  page('/playground', playground),
  page('/playground/$tool', playground),
  page('/skills', () => import('@/pages/skills')),
  page('/skills/$skill', skill),
  page('/skills/$skill/$tab', skill),
  page('/install', () => import('@/pages/install')),
  page('/update/$skill', () => import('@/pages/update')),
  page('/publishers', publishers),
  page('/publishers/$publisher', publishers),
  page('/hooks', () => import('@/pages/hooks')),
  page('/routines', () => import('@/pages/routines')),
  page('/channels', channels),
  page('/channels/$channel', channels),
  page('/journal', journal),
  page('/journal/$seq', journal),
  page('/policy', () => import('@/pages/policy')),
  page('/vault', () => import('@/pages/vault')),
  page('/tokens', () => import('@/pages/tokens')),
  page('/doctor', () => import('@/pages/doctor')),
  page('/settings', () => import('@/pages/settings')),
] as const;

/** The daemon serves the page at every path that is not its API, so that deep links work. */
export const router = createRouter({
  routeTree: root.addChildren(routes),
  history: createBrowserHistory(),
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
