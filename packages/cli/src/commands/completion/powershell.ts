import type { CompletedOption, CompletionModel, Value } from './model.ts';

/** For PowerShell 5.1 and later. */
export function powershellCompletion({ program, options, commands }: CompletionModel): string {
  const names = commands.map(({ name, description }) => `    '${name}' = '${description}'`);
  const tables = commands.map(
    ({ name, options, arguments: [argument] }) =>
      `    '${name}' = @{ argument = '${argument === undefined ? '' : codeOf(argument)}'; options = [ordered]@{${entries(options)}} }`,
  );
  return `# Completion of ${program} for PowerShell. Made by: ${program} completion powershell
Register-ArgumentCompleter -Native -CommandName '${program}' -ScriptBlock {
  param($word, $ast, $position)
  $commands = [ordered]@{
${names.join('\n')}
  }
  $known = @{
    '' = @{ argument = 'words ${commands.map(({ name }) => name).join(' ')}'; options = [ordered]@{${entries(options)}} }
${tables.join('\n')}
  }
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { $_.ToString() })
  $name = if ($words.Count -gt 1 -and $commands.Contains($words[1])) { $words[1] } else { '' }
  $here = $known[$name]
  $last = $words[-1]
  $value = if ($here.options.Contains($last)) { $here.options[$last].value } else { '' }
  if (-not $value -and $word -like '-*') {
    $here.options.Keys | Where-Object { $_ -like "$word*" } | ForEach-Object {
      [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterName', $here.options[$_].text)
    }
    return
  }
  if (-not $value) { $value = $here.argument }
  if ($value -eq 'file') { [System.Management.Automation.CompletionCompleters]::CompleteFilename($word); return }
  if ($value -eq 'folder') {
    Get-ChildItem -Directory -Path "$word*" | ForEach-Object {
      [System.Management.Automation.CompletionResult]::new($_.Name, $_.Name, 'ProviderContainer', $_.FullName)
    }
    return
  }
  if ($value -like 'words *') {
    $value.Substring(6).Split(' ') | Where-Object { $_ -like "$word*" } | ForEach-Object {
      $text = if ($commands.Contains($_)) { $commands[$_] } else { $_ }
      [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $text)
    }
  }
}
`;
}

function entries(options: CompletedOption[]): string {
  return options
    .flatMap(({ flags, description, value }) =>
      flags.map((flag) => `'${flag}' = @{ text = '${description}'; value = '${value ? codeOf(value) : ''}' }`),
    )
    .join('; ');
}

function codeOf(value: Value): string {
  return typeof value === 'string' ? value : `words ${value.words.join(' ')}`;
}
