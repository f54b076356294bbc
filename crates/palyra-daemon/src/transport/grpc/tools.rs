//! `palyra.plugins.v1.ToolsService`.

use palyra_api::grpc::plugins::v1::tools_service_server::ToolsService;
use palyra_api::grpc::plugins::v1::{
    GetToolRequest, GetToolResponse, ListToolsRequest, ListToolsResponse, RemoveAliasRequest,
    RemoveAliasResponse, SetAliasRequest, SetAliasResponse,
};
use tonic::{Request, Response};

use super::answer::{Answer, enter, to_message};
use super::asked::small;

/// Tools of a search that says nothing else.
const FOUND: u16 = 10;

pub(super) struct Tools;

#[tonic::async_trait]
impl ToolsService for Tools {
    async fn list_tools(&self, request: Request<ListToolsRequest>) -> Answer<ListToolsResponse> {
        let (client, ListToolsRequest { search, limit }) = enter(request)?;
        let limit = small("limit", limit)?.unwrap_or(FOUND);
        let tools = match search {
            Some(words) => client.search_tools(&words, limit).await,
            None => client.tools().await,
        };
        to_message(tools).map(Response::new)
    }

    async fn get_tool(&self, request: Request<GetToolRequest>) -> Answer<GetToolResponse> {
        let (client, asked) = enter(request)?;
        let tool = to_message(client.tool(&asked.tool).await)?;
        Ok(Response::new(GetToolResponse { tool }))
    }

    async fn set_alias(&self, request: Request<SetAliasRequest>) -> Answer<SetAliasResponse> {
        let (client, SetAliasRequest { alias, tool }) = enter(request)?;
        let alias = to_message(client.set_alias(&alias, &tool).await)?;
        Ok(Response::new(SetAliasResponse { alias }))
    }

    async fn remove_alias(&self, request: Request<RemoveAliasRequest>) -> Answer<RemoveAliasResponse> {
        let (client, asked) = enter(request)?;
        let alias = to_message(client.remove_alias(&asked.alias).await)?;
        Ok(Response::new(RemoveAliasResponse { alias }))
    }
}
