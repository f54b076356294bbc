import { type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

export interface Page<Row, Cursor> {
  readonly rows: readonly Row[];
  /** Where the next page begins; absent at the end. */
  readonly next: Cursor | undefined;
}

interface Options<Row, Cursor, First extends Page<Row, Cursor>> {
  /** Live events refresh queries by the first part of this key. */
  readonly queryKey: QueryKey;
  readonly read: (before: Cursor | undefined) => Promise<First>;
  readonly idOf: (row: Row) => string | number;
}

/**
 * A list that grows at its head, newest first. Only the first page is read again when something happens. Once older pages
 * are open the rows stay where they are, and new ones are shown on request.
 */
export function useLiveList<Row, Cursor extends string | number, First extends Page<Row, Cursor> = Page<Row, Cursor>>({ queryKey, read, idOf }: Options<Row, Cursor, First>) {
  const list = JSON.stringify(queryKey);
  const head = useQuery({ queryKey, queryFn: () => read(undefined) });
  const [opened, setOpened] = useState<{ readonly list: string; readonly page: Page<Row, Cursor> }>();
  const first = opened?.list === list ? opened.page : undefined;
  const older = useInfiniteQuery({
    queryKey: ['older', ...queryKey, first?.next],
    enabled: first?.next !== undefined,
    initialPageParam: first?.next as Cursor | undefined,
    queryFn: ({ pageParam }) => read(pageParam as Cursor | undefined),
    getNextPageParam: ({ next }) => next,
    staleTime: Infinity,
    // Old pages are not kept for a list that is not open.
    gcTime: 0,
  });

  const live = head.data?.rows;
  const rows = useMemo(() => {
    if (!first) return live ?? [];
    const changed = new Map(live?.map((row) => [idOf(row), row]));
    return [...first.rows.map((row) => changed.get(idOf(row)) ?? row), ...(older.data?.pages.flatMap((page) => page.rows) ?? [])];
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `idOf` is a function of the row alone
  }, [first, live, older.data]);

  const newest = first?.rows[0];
  return {
    head,
    rows,
    hasMore: first ? older.hasNextPage || older.isPending : head.data?.next !== undefined,
    isLoading: older.isFetching,
    loadMore(): void {
      if (first) void older.fetchNextPage();
      else if (head.data) setOpened({ list, page: head.data });
    },
    /** Whether there are rows above those that are shown. */
    hasNewer: newest !== undefined && live?.[0] !== undefined && idOf(live[0]) !== idOf(newest),
    showNewer: (): void => setOpened(undefined),
  };
}
