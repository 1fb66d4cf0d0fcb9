mod cast;
