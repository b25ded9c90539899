//! The protocol server: passes requests of clients to the assistant of the current rules.

use std::fmt::Debug;
use std::sync::Arc;

use bareme_engine::say;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};

use crate::Assistant;

/// The source of the current rules, which each request asks again.
pub trait RuleSource: Debug + Send + Sync + 'static {
    /// Runs a function once with the assistant of the current rules.
    ///
    /// # Errors
    /// The reason why there are none, for the client; then the function did not run.
    fn ask(&self, ask: &mut dyn FnMut(&Assistant<'_>)) -> Result<(), String>;

    /// Whether the rules may change while the server runs, so that clients are notified.
    fn changes(&self) -> bool {
        false
    }
}

/// A server of the Model Context Protocol, over any transport.
#[derive(Debug, Clone)]
pub struct Server {
    source: Arc<dyn RuleSource>,
}

impl Server {
    /// A server with the rules of a source.
    pub fn new(source: impl RuleSource) -> Self {
        Self {
            source: Arc::new(source),
        }
    }

    fn ask<T>(&self, ask: impl Fn(&Assistant<'_>) -> T) -> Result<T, ErrorData> {
        // The source runs the function once, or says why it did not.
        let mut answer = Err("no answer".to_owned());

        let asked = self
            .source
            .ask(&mut |assistant| answer = Ok(ask(assistant)));

        asked
            .and(answer)
            .map_err(|reason| ErrorData::internal_error(reason, None))
    }
}

impl Assistant<'_> {
    /// Instructions given to the model before its first call.
    fn instructions(&self) -> String {
        let title = &self.rules.service().title;
        say!(
            self.lang,
            "{title} calcule impôts, paies et taxes d’après des barèmes datés et sourcés. Ne \
             jamais donner un montant qui n’est pas dans une réponse. Un résultat en erreur dit ce \
             qui manque (`incomplet`), ce qui est faux (`incorrect`) ou ce qu’aucun barème ne \
             couvre (`non_couvert`) : le demander ou le dire, sans estimer. `non_verifie` veut \
             dire que le barème est connu, mais pas vérifié jusqu’à cette date. Citer `citation` \
             et `lien`, et dire les `reserves`.",
            "{title} calculates taxes and pay from dated scales with their sources. Never give an \
             amount that is not in an answer. A result that is an error says what is missing \
             (`incomplet`), what is wrong (`incorrect`) or what no scale covers (`non_couvert`): \
             ask for it or say so, without an estimate. `non_verifie` means that the scale is \
             known, but not verified up to that date. Cite `citation` and `lien`, and say the \
             `reserves`."
        )
    }
}

/// The page of a list that is asked for: every list is a single page.
type Page = Option<PaginatedRequestParams>;
type Context = RequestContext<RoleServer>;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        // Tools and resources only: the service has no prompts, and samples nothing.
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources();

        // Only rules that may change are worth a notification: a client would wait for none
        // otherwise.
        let capabilities = if self.source.changes() {
            capabilities
                .enable_tool_list_changed()
                .enable_resources_list_changed()
                .build()
        } else {
            capabilities.build()
        };

        let known = self.ask(|assistant| {
            let service = assistant.rules.service();
            (
                service.title.clone(),
                service.documentation.clone(),
                assistant.instructions(),
            )
        });

        // Without rules there is still a server, which says so at each call.
        let own = Implementation::new("bareme", env!("CARGO_PKG_VERSION"));

        match known {
            Ok((title, site, instructions)) => ServerConfig::new(capabilities)
                .with_server_info(own.with_title(title).with_website_url(site))
                .with_instructions(instructions),
            Err(_) => ServerConfig::new(capabilities).with_server_info(own),
        }
    }

    async fn list_tools(&self, _: Page, _: Context) -> Result<ListToolsResult, ErrorData> {
        self.ask(|assistant| ListToolsResult::with_all_items(assistant.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let (name, arguments) = (request.name, request.arguments.unwrap_or_default());

        let result = self.ask(|assistant| assistant.call(&name, &arguments))?;

        // The model cannot have found such a tool in the list: by the protocol this is an error of
        // the client.
        let unknown = || ErrorData::invalid_params(format!("Unknown tool: {name}"), None);
        result.map(CallToolResponse::from).ok_or_else(unknown)
    }

    async fn list_resources(&self, _: Page, _: Context) -> Result<ListResourcesResult, ErrorData> {
        self.ask(|assistant| ListResourcesResult::with_all_items(assistant.resources()))
    }

    async fn list_resource_templates(
        &self,
        _: Page,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.ask(|assistant| {
            ListResourceTemplatesResult::with_all_items(assistant.resource_templates())
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;

        let found = self.ask(|assistant| assistant.read(&uri))?;

        let found = found.ok_or_else(|| {
            ErrorData::resource_not_found(format!("Resource not found: {uri}"), None)
        })?;
        Ok(ReadResourceResult::new(vec![found]).into())
    }
}
