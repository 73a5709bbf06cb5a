import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { answer, api } from "@/api/client";
import type { AccessTokenPage, CreatedToken, TokenScope } from "@/api/types";

/** Tokens on a page. */
export const tokenPageSize = 50;

const tokensKey = ["account", "tokens"];

/** The viewer's access tokens, newest first, without their secrets. */
export function tokensQuery(page: number) {
  const query = { pageNumber: page - 1, pageSize: tokenPageSize };
  return queryOptions({
    queryKey: [...tokensKey, query],
    queryFn: ({ signal }): Promise<AccessTokenPage> =>
      answer(api.GET("/api/v1/rf/account/tokens", { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

export interface TokenDraft {
  name: string;
  scopes: TokenScope[];
  /** Days. */
  expires: number;
}

/** Creates an access token. Its secret is in this answer alone, so it isn't kept with the queries. */
export function useCreateToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (draft: TokenDraft): Promise<CreatedToken> =>
      answer(api.POST("/api/v1/rf/account/tokens", { body: draft })),
    onSettled: () => queries.invalidateQueries({ queryKey: tokensKey }),
    gcTime: 0,
  });
}

/** Revokes an access token. The caller reports failures. */
export function useRevokeToken() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string): Promise<boolean> =>
      answer(api.DELETE("/api/v1/rf/account/tokens/{id}", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: tokensKey }),
  });
}
