process.stdout.write('mustard-agent\n');
