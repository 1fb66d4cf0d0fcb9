
mod cast;
