// Starts `bareme lsp` for the rule files of a folder. All that an editor knows of them comes from there.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function settings() {
  const chosen = vscode.workspace.getConfiguration("bareme");
  const args = ["lsp", "--lang", chosen.get("langue")];
  return { command: chosen.get("programme"), args: chosen.get("brouillons") ? [...args, "--drafts"] : args };
}

async function start() {
  const server = { ...settings(), transport: TransportKind.stdio };
  // The server leaves alone what is in no folder of rules.
  const documents = [{ scheme: "file", language: "yaml" }];
  client = new LanguageClient("bareme", "Barème", server, { documentSelector: documents });
  try {
    await client.start();
  } catch (error) {
    const what = `« ${server.command} lsp » ne démarre pas : ${error.message}. Installer le programme, ou dire où il est (bareme.programme).`;
    vscode.window.showErrorMessage(what);
  }
}

async function restart() {
  await client?.stop().catch(() => undefined);
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("bareme.relancer", restart),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("bareme") && restart()),
  );
  await start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
