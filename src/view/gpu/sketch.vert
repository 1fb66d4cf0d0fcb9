// Flat-coloured triangles in world space.

uniform mat4 viewProjection;

in vec3 position;
in vec4 color;

out vec4 col;

void main()
{
    col = color;
    gl_Position = viewProjection * vec4(position, 1.0);
}
